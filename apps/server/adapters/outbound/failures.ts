import { PostFailed } from '#core/ports/outside.ts';

const NO_ANSWER = 'The connection was closed without an answer';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host was not found',
  ENODATA: 'The host was not found',
  EAI_AGAIN: 'The host was not found: no name server answers',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: NO_ANSWER,
  EPIPE: NO_ANSWER,
  ETIMEDOUT: 'The host does not answer',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  HPE_HEADER_OVERFLOW: 'The header of the answer is too large',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the certificate is of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the certificate is of an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate is of an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
  EPROTO: 'TLS: the receiver does not speak it as expected',
};

/** In our words: those of the system name addresses and what a receiver has put into its certificate. */
export function toPostFailed(error: unknown): PostFailed {
  const code = codeOf(error);
  const reason = REASONS[code];
  if (reason !== undefined) return new PostFailed(reason);
  if (code.startsWith('HPE_')) return new PostFailed('The answer is not HTTP');
  if (/CERT|TLS|SSL|CRL|_CA$/.test(code)) return new PostFailed(`TLS: ${code}`);
  return new PostFailed(`The connection failed${code === '' ? '' : ` (${code})`}`);
}

/** Of several addresses, the last failure counts. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1));
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
