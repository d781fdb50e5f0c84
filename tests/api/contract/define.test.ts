import { describe, expect, it } from 'vitest';
import type { AppRoute } from '#api/contract/app-route.ts';
import { defineRoute } from '#api/contract/define.ts';

const route = {
  operationId: 'tests.one',
  method: 'get',
  path: '/api/one',
  responses: { 204: { description: 'Nothing' } },
} as const;

describe('A route', () => {
  it('does not compile without a scope, unless it is public', () => {
    // @ts-expect-error: a route that accepts API keys must name a scope
    defineRoute({ ...route, 'x-access': 'user' });
    // @ts-expect-error: a public route takes no scope
    defineRoute({ ...route, 'x-access': 'public', 'x-scope': 'read' });
    expect(defineRoute({ ...route, 'x-access': 'public' })).not.toHaveProperty('x-scope');
    expect(defineRoute({ ...route, 'x-access': 'user', 'x-scope': 'read' })['x-scope']).toBe('read');
  });

  it('says of each operation whether it wants a token', () => {
    const open: AppRoute = defineRoute({ ...route, 'x-access': 'public' });
    const guarded: AppRoute = defineRoute({ ...route, 'x-access': 'user', 'x-scope': 'read' });
    expect([open.security, guarded.security]).toEqual([[], [{ bearer: [] }]]);
  });
});
