import constants from 'ssh2/lib/protocol/constants.js';
import { assertParts } from './parts.ts';

/** What ssh2 supports with this Node and OpenSSL; it throws when asked to offer anything else. */
export const SUPPORTED = {
  kex: new Set(constants.SUPPORTED_KEX),
  host_key: new Set(constants.SUPPORTED_SERVER_HOST_KEY),
  cipher: new Set(constants.SUPPORTED_CIPHER),
  mac: new Set(constants.SUPPORTED_MAC),
} as const;

export function assertSupported(): void {
  assertParts('constants', constants, {
    ...{ SUPPORTED_KEX: 'object', SUPPORTED_SERVER_HOST_KEY: 'object' },
    ...{ SUPPORTED_CIPHER: 'object', SUPPORTED_MAC: 'object' },
  });
}
