import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Keys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

interface Claim {
  readonly credential: string;
  readonly signed_headers: string;
  readonly signature: string;
  readonly at: string;
  readonly payload: string;
}

/** Why a request is not signed as AWS Signature Version 4 demands; undefined when it is. */
export function objectionTo(request: IncomingMessage, body: Buffer, keys: Keys): string | undefined {
  const url = new URL(request.url ?? '', 'http://store');
  const claim = url.searchParams.has('X-Amz-Signature') ? claimInQuery(url) : claimInHeaders(request);
  if (!claim) return 'AccessDenied';
  const [id, day = '', region = '', service = '', end] = claim.credential.split('/');
  if (id !== keys.access_key_id || service !== 's3' || end !== 'aws4_request') return 'InvalidAccessKeyId';
  if (claim.payload !== 'UNSIGNED-PAYLOAD' && claim.payload !== sha256(body))
    return 'XAmzContentSHA256Mismatch';
  const scope = `${day}/${region}/${service}/${end}`;
  const text = ['AWS4-HMAC-SHA256', claim.at, scope, sha256(canonical(request, url, claim))].join('\n');
  const key = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${keys.secret_access_key}`);
  return hmac(Buffer.from(key), text).toString('hex') === claim.signature
    ? undefined
    : 'SignatureDoesNotMatch';
}

function claimInQuery({ searchParams }: URL): Claim | undefined {
  const field = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const at = field('Date');
  const since_ms =
    Date.now() - Date.parse(at.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(since_ms < Number(field('Expires')) * 1000)) return undefined;
  return {
    ...{
      credential: field('Credential'),
      signed_headers: field('SignedHeaders'),
      signature: field('Signature'),
    },
    ...{ at, payload: 'UNSIGNED-PAYLOAD' },
  };
}

function claimInHeaders({ headers }: IncomingMessage): Claim | undefined {
  const found = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  );
  if (!found) return undefined;
  const [, credential = '', signed_headers = '', signature = ''] = found;
  const payload = String(headers['x-amz-content-sha256']);
  return { credential, signed_headers, signature, at: String(headers['x-amz-date']), payload };
}

function canonical(
  { method, headers }: IncomingMessage,
  url: URL,
  { signed_headers, payload }: Claim,
): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const lines = signed_headers.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  return [method, url.pathname, query.join('&'), lines.join(''), signed_headers, payload].join('\n');
}
