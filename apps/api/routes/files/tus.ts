import { Fault } from '#core/errors.ts';
import type { UploadEntry } from '#core/model/upload.ts';
import type { AppContext, AppMiddleware } from '../../http/env.ts';

const VERSION = '1.0.0';
const PIECE_TYPE = 'application/offset+octet-stream';

/** On refusals, too: a client sees from it that it speaks with a tus server. */
export const tellVersion: AppMiddleware = async function tellTusVersion(c, next) {
  c.header('Tus-Resumable', VERSION);
  await next();
};

/** What this gateway can do, as `OPTIONS` tells it. */
export function abilities(max_bytes: number | undefined): Record<string, string> {
  const limit = max_bytes === undefined ? {} : { 'Tus-Max-Size': String(max_bytes) };
  return { 'Tus-Version': VERSION, 'Tus-Extension': 'creation,termination,expiration', ...limit };
}

/** A browser that asks with a plain GET names none. */
export function assertVersion(c: AppContext): void {
  const named = c.req.header('tus-resumable') ?? (c.req.method === 'GET' ? VERSION : undefined);
  if (named === VERSION) return;
  c.header('Tus-Version', VERSION);
  throw new Fault('tus_version');
}

export function assertPiece(c: AppContext): void {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== PIECE_TYPE) throw new Fault('upload_content_type');
}

/** Of headers that the protocol demands and the gates must not: who may not ask is told that first. */
export function required<T>(value: T | undefined, header: string): T {
  if (value !== undefined) return value;
  const errors = [{ path: header.toLowerCase(), message: 'Required' }];
  throw new Fault('validation', `${header}: Required`, { errors });
}

/** RFC 9110 §5.6.7. */
export function expiry({ expires_at }: Pick<UploadEntry, 'expires_at'>): string {
  return new Date(expires_at).toUTCString();
}
