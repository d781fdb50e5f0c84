import { ExchangeFailed } from '#core/ports/outside.ts';

const NO_ANSWER = 'The connection was closed without a response';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host was not found',
  ENODATA: 'The host was not found',
  EAI_AGAIN: 'The host was not found: no DNS server answers',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: NO_ANSWER,
  EPIPE: NO_ANSWER,
  ETIMEDOUT: 'The connection timed out',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  HPE_HEADER_OVERFLOW: 'The response header is too large',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the certificate authority is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the certificate authority is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate authority is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
  EPROTO: 'TLS: the handshake failed',
};

/** Our own texts: those of the system contain addresses and whatever a receiver put into its certificate. */
export function toExchangeFailed(error: unknown): ExchangeFailed {
  const code = codeOf(error);
  const reason = REASONS[code];
  if (reason !== undefined) return new ExchangeFailed(reason);
  if (code.startsWith('HPE_')) return new ExchangeFailed('The response is not HTTP');
  if (/CERT|TLS|SSL|CRL|_CA$/.test(code)) return new ExchangeFailed(`TLS: ${code}`);
  return new ExchangeFailed(`The connection failed${code === '' ? '' : ` (${code})`}`);
}

/** The last failure counts if several addresses were tried. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1));
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
