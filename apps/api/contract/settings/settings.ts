import { z } from '@hono/zod-openapi';
import { SettingKeyName, SettingList, SettingsInput, SettingsReset } from '#core/model/settings/setting.ts';
import { defineRoute } from '../define.ts';
import { body, json } from '../shapes.ts';

const reading = { 'x-access': 'admin', 'x-scope': 'admin' } as const;
const changing = { 'x-access': 'admin', 'x-scope': 'session', 'x-fresh': true } as const;

export const listSettings = defineRoute({
  operationId: 'settings.list',
  method: 'get',
  path: '/api/settings',
  tags: ['settings'],
  summary: 'List the settings in force and the source of each',
  description: 'Each with its limits, its default, and where its value comes from. Secrets are not settings.',
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
  refuses: ['config_locked'],
  responses: {
    200: json(z.object({ changed: z.array(SettingKeyName) }), 'The settings whose value changed'),
  },
});

export const resetSettings = defineRoute({
  operationId: 'settings.reset',
  'x-while-full': true,
  method: 'post',
  path: '/api/settings/reset',
  tags: ['settings'],
  summary: 'Reset settings to the environment or the default',
  description: 'Deletes what an administrator has set. Takes effect like a change.',
  ...changing,
  request: { body: body(SettingsReset) },
  refuses: ['config_locked'],
  responses: {
    200: json(z.object({ cleared: z.array(SettingKeyName) }), 'The settings that were reset'),
  },
});
