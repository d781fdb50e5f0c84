import { crc32 } from 'node:zlib';
import { Fault, type FaultCode } from '#core/errors.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import type { LeasedChannel } from '../pool/leased-channel.ts';
import { openRead } from '../transfer/open-read.ts';
import { pack } from './compress.ts';
import type { Planned, Skipped } from './plan.ts';
import type { PreparedMember } from './prefetch.ts';
import { readWhole } from './read.ts';
import { STORED } from './records.ts';
import type { ZipMember } from './stream.ts';

/** Files up to this size are read ahead as a whole; larger ones are only opened. */
export const WHOLE_BYTES = 1024 * 1024;

type PlannedFile = Extract<Planned, { kind: 'file' }>;

interface MemberDeps {
  readonly lane: LeasedChannel;
  readonly skipped: Skipped;
  readonly signal: AbortSignal;
}

export async function prepareMember(planned: Planned, deps: MemberDeps): Promise<PreparedMember> {
  if (planned.kind === 'directory') return { member: planned, close: NOTHING_OPEN };
  const { lane, skipped, signal } = deps;
  try {
    signal.throwIfAborted();
    return (await readSmall(planned, lane)) ?? (await openLarge(planned, deps));
  } catch (error) {
    skipped.add(planned.name, reasonOf(error, lane));
    return { member: undefined, close: NOTHING_OPEN };
  }
}

const NOTHING_OPEN = () => Promise.resolve();

async function readSmall(
  planned: PlannedFile,
  { channel }: LeasedChannel,
): Promise<PreparedMember | undefined> {
  const { path, listed, name, mode, modified } = planned;
  if ((listed.size ?? 0) > WHOLE_BYTES) return undefined;
  const file = await readWhole(channel, { path, listed, limit_bytes: WHOLE_BYTES });
  if (!file) return undefined;
  const { method, bytes } = await pack(name, file.bytes);
  const member = { kind: 'whole' as const, name, mode, modified, method, bytes };
  return {
    member: { ...member, size: file.bytes.length, crc: crc32(file.bytes) },
    close: NOTHING_OPEN,
  };
}

async function openLarge(
  planned: PlannedFile,
  { lane, skipped, signal }: MemberDeps,
): Promise<PreparedMember> {
  const { name, mode, path } = planned;
  const file = await openRead(lane.lease.share(), path);
  if (signal.aborted) await file.close();
  signal.throwIfAborted();
  const modified = new Date(file.stat.modified);
  const pieces = piecesOf(file, (error) => skipped.add(name, `only in part: ${reasonOf(error, lane)}`));
  const member = { kind: 'stream' as const, name, mode, modified, expected_size: file.stat.size, pieces };
  return { member, close: () => file.close() };
}

/** The content as far as it can be read. */
async function* piecesOf(file: RemoteFile, onBroken: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  if (file.stat.size === 0) return file.close();
  const reader = file.stream({ start: 0, end: file.stat.size - 1 }).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onBroken(error);
        return { done: true as const, value: undefined };
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // it has already failed
  }
}

const LOST = new Set<FaultCode>(['host_disconnected', 'operation_timeout']);

/** Why a file is skipped; a lost host ends the archive instead. */
function reasonOf(error: unknown, { channel, lease }: LeasedChannel): string {
  const lost = channel.ended() ?? lease.connection.ended();
  if (lost) throw lost;
  if (!(error instanceof Fault) || LOST.has(error.code)) throw error;
  return error.detail;
}

/** The member that lists what the archive lacks. */
export function skippedMember(name: string, text: string): ZipMember {
  const bytes = Buffer.from(text);
  const entry = { name, mode: 0o644, modified: new Date() };
  return { kind: 'whole', ...entry, method: STORED, bytes, size: bytes.length, crc: crc32(bytes) };
}
