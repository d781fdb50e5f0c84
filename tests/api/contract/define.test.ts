import { describe, expect, it } from 'vitest';
import { defineRoute } from '#api/contract/define.ts';

const route = {
  operationId: 'tests.one',
  method: 'get',
  path: '/api/one',
  responses: { 204: { description: 'Nothing' } },
} as const;

describe('A route', () => {
  it('does not compile without a scope, unless it is public', () => {
    // @ts-expect-error: API keys need to know what it wants
    defineRoute({ ...route, 'x-access': 'user' });
    // @ts-expect-error: anybody may ask it, so no scope can be wanted
    defineRoute({ ...route, 'x-access': 'public', 'x-scope': 'read' });
    expect(defineRoute({ ...route, 'x-access': 'public' })).not.toHaveProperty('x-scope');
    expect(defineRoute({ ...route, 'x-access': 'user', 'x-scope': 'read' })['x-scope']).toBe('read');
  });
});
