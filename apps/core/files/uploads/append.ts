import { Fault } from '../../errors.ts';
import type { UploadState } from '../../model/files/upload.ts';
import type { ByteSource } from '../../ports/files.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Background, Clock } from '../../ports/runtime.ts';
import type { PartKeeper } from './part-keeper.ts';
import { lengthOf, type OwnUpload, stateOf, UPLOAD_KEPT_MS, type UploadParts } from './parts.ts';

export interface UploadPiece {
  readonly offset: number;
  /** Fails when the sender disconnects; the bytes before that are kept. */
  readonly content: ByteSource;
  /** Size in bytes, if known in advance. */
  readonly length?: number | undefined;
}

interface Deps {
  readonly parts: UploadParts;
  readonly keeper: PartKeeper;
  readonly clock: Clock;
  readonly background: Background;
  readonly meter: Pick<Meter, 'add'>;
}

/** Appends one piece at a time; throws `upload_offset` at a wrong offset. Received bytes are kept after a failure. */
export type Append = (own: OwnUpload, piece: UploadPiece, turn: AbortSignal) => Promise<UploadState>;

export function createAppend({ parts, keeper, clock, background, meter }: Deps): Append {
  async function write(own: OwnUpload, piece: UploadPiece, turn: AbortSignal): Promise<void> {
    const { row, session } = own;
    const attended = keeper.attend(row, UPLOAD_KEPT_MS);
    const signal = AbortSignal.any([own.signal, turn, attended.lost]);
    const limit_bytes = lengthOf(row) - piece.offset;
    try {
      const onWritten = (bytes: number) => meter.add('bytes_up', bytes);
      await session.appendPart(row.part_path, piece.offset, piece.content, {
        limit_bytes,
        signal,
        onWritten,
      });
    } catch (error) {
      background.run('keep a part', keeper.prolong(row, UPLOAD_KEPT_MS));
      throw error instanceof Fault && error.code === 'upload_too_large' ? tooMuch(limit_bytes) : error;
    } finally {
      attended.leave();
    }
  }

  /** A finished upload has no part to prolong. */
  const unlessFinished = (upload_id: string) => async (error: unknown) => {
    if (!(await parts.finished(upload_id))) throw error;
  };

  return async (own, piece, turn) => {
    const { row } = own;
    await keeper.prolong(row, UPLOAD_KEPT_MS).catch(unlessFinished(row.id)); // from here on it is not cleaned up
    const { offset, is_finished } = await parts.standsAt(own);
    if (piece.offset !== offset) {
      throw new Fault('upload_offset', `The upload stands at ${offset}, not at ${piece.offset}`);
    }
    const left_bytes = lengthOf(row) - offset;
    if ((piece.length ?? 0) > left_bytes) throw tooMuch(left_bytes);
    if (is_finished) return stateOf(row, offset); // a client that lost the response
    await write(own, piece, turn);
    await keeper.prolong(row, UPLOAD_KEPT_MS);
    const expires_at = new Date(clock.now().getTime() + UPLOAD_KEPT_MS).toISOString();
    return parts.settle({ ...own, row: { ...row, expires_at } }, turn);
  };
}

function tooMuch(left_bytes: number): Fault {
  return new Fault('upload_too_large', `The upload has only ${left_bytes} bytes left`);
}
