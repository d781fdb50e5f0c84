import type { BrandingImageName } from '../model/branding.ts';

/** What became of a POST to somebody else's address. */
export interface Posted {
  readonly status: number;
}

/** Why there was no answer, in words that may be shown to administrators. */
export class PostFailed extends Error {
  override name = 'PostFailed';
  /** It would be the same the next time. */
  readonly is_final: boolean;

  constructor(reason: string, { is_final = false } = {}) {
    super(reason);
    this.is_final = is_final;
  }
}

/** The only way out over HTTP. */
export interface Outbound {
  /** Why a webhook may not go there, as far as the text of the address tells; undefined: it may be tried. */
  objection(url: string): string | undefined;
  /**
   * Sends the bytes as they are; redirects are not followed, of the answer only the status is read. `PostFailed` when
   * there is none within `timeout_ms`, or when the address that is dialled is one that nobody may be sent to.
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
  /** Decodes and encodes anew, within the bounds of its place; `image_unreadable`. */
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
