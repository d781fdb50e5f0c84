import { z } from '@hono/zod-openapi';
import { SettingKeyName, SettingList, SettingsInput, SettingsReset } from '#core/model/setting.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';

const locked = refusal('The settings are locked, or a gate refused');
const admin = { 'x-access': 'admin', 'x-scope': 'admin' } as const;

export const listSettings = defineRoute({
  operationId: 'settings.list',
  method: 'get',
  path: '/api/settings',
  tags: ['settings'],
  summary: 'Settings in force, and where each comes from',
  ...admin,
  responses: { 200: json(SettingList, 'Settings') },
});

export const updateSettings = defineRoute({
  operationId: 'settings.update',
  method: 'put',
  path: '/api/settings',
  tags: ['settings'],
  summary: 'Change settings: all or none',
  description: 'In force at once here, and on every instance within a few seconds.',
  ...admin,
  request: { body: body(SettingsInput) },
  responses: {
    200: json(z.object({ changed: z.array(SettingKeyName) }), 'Those that have another value now'),
    403: locked,
  },
});

export const resetSettings = defineRoute({
  operationId: 'settings.reset',
  method: 'post',
  path: '/api/settings/reset',
  tags: ['settings'],
  summary: 'Forget what administrators have set: the environment or the default holds again',
  ...admin,
  request: { body: body(SettingsReset) },
  responses: {
    200: json(z.object({ cleared: z.array(SettingKeyName) }), 'Those that were set'),
    403: locked,
  },
});
