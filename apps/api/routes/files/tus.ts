import { Fault, invalidField } from '#core/errors.ts';
import { fromBase64 } from '#core/lib/bytes/bytes.ts';
import type { UploadEntry } from '#core/model/files/upload.ts';
import type { AppContext, AppMiddleware } from '../../http/env.ts';

const VERSION = '1.0.0';
const CONTENT_TYPE = 'application/offset+octet-stream';

/** On refusals too: the header tells a client that this is a tus server. */
export const setVersion: AppMiddleware = async function setTusVersion(c, next) {
  c.header('Tus-Resumable', VERSION);
  await next();
};

/** Headers of the answer to `OPTIONS`. */
export function capabilities(max_bytes: number | undefined): Record<string, string> {
  const limit = max_bytes === undefined ? {} : { 'Tus-Max-Size': String(max_bytes) };
  return { 'Tus-Version': VERSION, 'Tus-Extension': 'creation,termination,expiration', ...limit };
}

/** A plain GET from a browser has no version header. */
export function assertVersion(c: AppContext): void {
  const named = c.req.header('tus-resumable') ?? (c.req.method === 'GET' ? VERSION : undefined);
  if (named === VERSION) return;
  c.header('Tus-Version', VERSION);
  throw new Fault('tus_version');
}

export function assertContentType(c: AppContext): void {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== CONTENT_TYPE) throw new Fault('upload_content_type');
}

/** For headers that tus requires. The contract leaves them optional, so that the gates refuse first. */
export function required<T>(value: T | undefined, header: string): T {
  if (value !== undefined) return value;
  throw invalidField(header.toLowerCase(), 'Required', `${header}: Required`);
}

/** RFC 9110 §5.6.7. */
export function expiry({ expires_at }: Pick<UploadEntry, 'expires_at'>): string {
  return new Date(expires_at).toUTCString();
}

/** The keys of `Upload-Metadata` with their base64 values; empty for a key without a value. */
export function metadataOf(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(',').map((pair): [string, string] => {
    const [, key = '', value = ''] =
      /^([\x21-\x7e]+)(?: ([A-Za-z0-9+/=]*))?$/.exec(pair.trim()) ??
      refuseMetadata('pairs of key and base64');
    return [key, value];
  });
  const values = new Map(pairs);
  if (values.size < pairs.length) refuseMetadata('no key twice');
  return values;
}

export function textOf(metadata: ReadonlyMap<string, string>, key: string): string | undefined {
  const coded = metadata.get(key);
  if (coded === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(coded));
  } catch {
    return refuseMetadata(`${key} in base64 of UTF-8`);
  }
}

export function refuseMetadata(wanted: string): never {
  throw invalidField('upload-metadata', `Expected ${wanted}`, `Upload-Metadata: Expected ${wanted}`);
}
