import type { BrandingImageName } from '../model/settings/branding.ts';

/** Outcome of a POST to an external address. */
interface Posted {
  readonly status: number;
}

/** Why there was no response, in words that administrators may see. */
export class ExchangeFailed extends Error {
  override name = 'ExchangeFailed';
  /** A retry would fail the same way. */
  readonly is_final: boolean;

  constructor(reason: string, { is_final = false } = {}) {
    super(reason);
    this.is_final = is_final;
  }
}

/** The only outgoing HTTP client. */
export interface Outbound {
  /** Why the URL itself is not allowed for a webhook; undefined when it may be tried. */
  objection(url: string): string | undefined;
  /**
   * Sends the bytes unchanged, follows no redirects and reads only the response status. Throws `ExchangeFailed` without a
   * response within `timeout_ms`, or when the resolved address is not allowed.
   */
  post(input: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array<ArrayBuffer>;
    readonly timeout_ms: number;
    readonly signal: AbortSignal;
  }): Promise<Posted>;
}

export interface Images {
  /** Decodes and re-encodes within the size limits of its use. Throws `image_unreadable`. */
  reencode(
    place: BrandingImageName,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }>;
}

/** Argon2id (RFC 9106), 32 bytes, off the event loop. */
export type DeriveKey = (
  passphrase: string,
  parameters: {
    readonly salt: Uint8Array<ArrayBuffer>;
    readonly memory_kib: number;
    readonly iterations: number;
    readonly parallelism: number;
  },
) => Promise<Uint8Array<ArrayBuffer>>;
