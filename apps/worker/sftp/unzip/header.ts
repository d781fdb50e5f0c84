import type { ZipMember } from '#core/ports/zip.ts';

/** An entry of the central directory. */
export interface Header {
  readonly member: ZipMember;
  /** Length of the header in bytes. */
  readonly length: number;
  /** The host by its number in APPNOTE 4.4.2. */
  readonly made_on: number;
  readonly raw: Buffer;
  /** False for a name whose encoding the archive does not tell; the member has its bytes. */
  readonly is_stated: boolean;
}
