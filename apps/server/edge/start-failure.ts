import { errorBody } from '#api/http/refuse.ts';
import { Fault } from '#core/errors.ts';
import { createConsoleLog } from './console-log.ts';

/** Says to the operator why no request can be answered, and to the client only that. */
export function startFailure(err: unknown): Response {
  const request_id = crypto.randomUUID();
  createConsoleLog('error').error({ err, request_id }, 'The edge cannot start');
  return Response.json(errorBody(new Fault('internal'), request_id), { status: 500 });
}
