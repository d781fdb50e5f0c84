import { Overview, OverviewQuery } from '#core/model/overview.ts';
import { defineRoute } from './define.ts';
import { json } from './shapes.ts';

export const overview = defineRoute({
  operationId: 'overview.get',
  method: 'get',
  path: '/api/overview',
  tags: ['overview'],
  summary: 'Current numbers and history: servers by state, sessions, transfers, sign-ins',
  description: 'The numbers are of all instances. The longer the period, the coarser its points.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { query: OverviewQuery },
  responses: { 200: json(Overview, 'At most 300 points, oldest first') },
});
