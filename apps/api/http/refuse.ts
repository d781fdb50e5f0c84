import type { ErrorHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { WSContext } from 'hono/ws';
import { Fault, type FaultCode, toFault } from '#core/errors.ts';
import { truncateUtf8 } from '#core/lib/text/printable.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { ErrorBody } from '../contract/shapes.ts';
import type { GatewayFrame } from '../contract/terminals/frames.ts';
import type { AppContext, AppEnv, RawSocket, Runtime } from './env.ts';

const CLOSE_REASON_BYTES = 123; // RFC 6455 §5.5
// Answered as plain HTTP: these clients are not terminals of ours.
const NEVER_ACCEPTED: ReadonlySet<FaultCode> = new Set(['origin_refused', 'upgrade_refused']);

/** Errors that only an operator can fix: logged, with their cause. */
export const OPERATOR_MUST_KNOW: ReadonlySet<FaultCode> = new Set([
  'internal',
  'database_full',
  'recording_failed',
  'worker_unreachable',
]);

const IS_TEMPORARY: ReadonlySet<number> = new Set([429, 503]);
const RETRY_S = 5; // for refusals that do not know better

export interface RefuseLog {
  error(fields: object, message: string): void;
}

const ANSWER_MS = { promptly: 5000, slowly: 60_000 };

/** Sends an `error` frame and closes; terminates a client that does not answer the close. `slowly`: output may still be queued. */
export function closeSocket(
  ws: WSContext<RawSocket>,
  fault: Fault,
  { after, answers = 'promptly' }: { readonly after: After; readonly answers?: keyof typeof ANSWER_MS },
): void {
  ws.send(JSON.stringify(errorFrame(fault)));
  ws.close(fault.close_code, closeReason(fault));
  after(ANSWER_MS[answers], () => ws.raw?.terminate());
}

/** The only place that turns an error into what a client sees: JSON, or a frame and a close code. */
export function createRefuse(runtime: Runtime, log: RefuseLog, after: After): ErrorHandler<AppEnv> {
  return function refuse(error, c) {
    const fault = faultOf(error);
    if (OPERATOR_MUST_KNOW.has(fault.code)) {
      log.error({ request_id: c.var.request_id, err: fault.options.cause ?? error }, 'A request failed');
    }
    // Accept the upgrade to send the reason: of a refused upgrade, a browser shows only 1006.
    if (runtime.isUpgrade(c) && !NEVER_ACCEPTED.has(fault.code))
      return runtime.upgrade(c, { onOpen: (_event, ws) => closeSocket(ws, fault, { after }) });
    return refuseRequest(c, fault);
  };
}

function refuseRequest(c: AppContext, fault: Fault): Response {
  if (fault.status === 401) c.header('WWW-Authenticate', 'Bearer');
  if (fault.status === 426) c.header('Upgrade', 'websocket');
  const { retry_after = IS_TEMPORARY.has(fault.status) ? RETRY_S : undefined } = fault.options;
  if (retry_after !== undefined) c.header('Retry-After', String(retry_after));
  return c.json(errorBody(fault, c.var.request_id), contentful(fault.status));
}

/** The one shape of a refusal. */
export function errorBody(fault: Fault, request_id: string): ErrorBody {
  const { code, detail } = fault;
  const { errors = code === 'validation' ? [{ path: '', message: detail }] : undefined } = fault.options;
  return {
    detail,
    code,
    ...(errors ? { errors: [...errors] } : {}),
    ...(code === 'internal' ? { request_id } : {}),
  };
}

export function errorFrame(fault: Fault): GatewayFrame {
  const { stage, hop, presented_host_key, presented_fingerprint } = fault.options;
  return {
    type: 'error',
    code: fault.code,
    message: fault.detail,
    ...(stage ? { stage } : {}),
    ...(hop ? { hop } : {}),
    ...(presented_host_key ? { presented_host_key, presented_fingerprint } : {}),
  };
}

export function closeReason(fault: Fault): string {
  return truncateUtf8(fault.detail, CLOSE_REASON_BYTES);
}

/** Hono's own errors, such as invalid JSON, become Faults too. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof HTTPException)) return toFault(error);
  if (error.status === 413) return new Fault('body_too_large', undefined, { cause: error });
  if (error.status >= 500) return new Fault('internal', undefined, { cause: error });
  return invalidJson(error);
}

export function invalidJson(cause?: unknown): Fault {
  return new Fault('validation', 'The body is not valid JSON', { cause });
}

/** Every status in FAULTS allows a body. */
function contentful(status: number): ContentfulStatusCode {
  return status as ContentfulStatusCode;
}
