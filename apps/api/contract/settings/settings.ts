import { z } from '@hono/zod-openapi';
import { SettingKeyName, SettingList, SettingsInput, SettingsReset } from '#core/model/setting.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';

const locked = refusal('The settings are locked, or a gate refused the request');
const reading = { 'x-access': 'admin', 'x-scope': 'admin' } as const;
const changing = { 'x-access': 'admin', 'x-scope': 'session', 'x-fresh': true } as const;

export const listSettings = defineRoute({
  operationId: 'settings.list',
  method: 'get',
  path: '/api/settings',
  tags: ['settings'],
  summary: 'List the settings in force and the source of each',
  ...reading,
  responses: { 200: json(SettingList, 'Settings') },
});

export const updateSettings = defineRoute({
  operationId: 'settings.update',
  'x-while-full': true,
  method: 'put',
  path: '/api/settings',
  tags: ['settings'],
  summary: 'Change settings, all or none',
  description: 'Takes effect on this instance at once, and on the others within a few seconds.',
  ...changing,
  request: { body: body(SettingsInput) },
  responses: {
    200: json(z.object({ changed: z.array(SettingKeyName) }), 'The settings whose value changed'),
    403: locked,
  },
});

export const resetSettings = defineRoute({
  operationId: 'settings.reset',
  'x-while-full': true,
  method: 'post',
  path: '/api/settings/reset',
  tags: ['settings'],
  summary: 'Reset settings to the environment or the default',
  ...changing,
  request: { body: body(SettingsReset) },
  responses: {
    200: json(z.object({ cleared: z.array(SettingKeyName) }), 'The settings that were reset'),
    403: locked,
  },
});
