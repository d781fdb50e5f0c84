import type { FilePlace } from '../../accounts/tickets.ts';
import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import { namesOf, portable } from '../../lib/paths/path-bytes.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { ArchiveListing } from '../../model/files/archive.ts';
import { assertMay } from '../../policy/account.ts';
import type { ZipMember } from '../../ports/zip.ts';
import type { FileAccess, Granted } from '../access.ts';
import type { DownloadSlot, DownloadSlots } from '../download-slots.ts';
import type { LargeAnswers } from '../large-answers.ts';
import type { AskedAnswer } from '../listing.ts';
import { endsOf } from './bounds.ts';
import { isSupported, readAllMembers, readMembers, toEntries } from './entries.ts';
import { memberStream } from './member-stream.ts';
import type { ArchiveTurns } from './turns.ts';

const ANY_SIZE = Number.POSITIVE_INFINITY; // known only once the list has been read

export interface ArchivePlace extends FilePlace {
  /** Encoding of names that the archive does not mark as UTF-8; undefined: guessed. */
  readonly encoding?: string | undefined;
}

export interface MemberPlace extends ArchivePlace {
  /** The name of the member as the list of members spells it. */
  readonly member: string;
}

/** One member to send; `stream` or `close` ends it. */
export interface MemberDownload {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
  readonly etag: string;
  stream(): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

/** Looks into ZIP archives on a host, which are read at offsets. */
export interface Archives {
  list(caller: Caller, place: ArchivePlace, asked: AskedAnswer): Promise<ArchiveListing>;
  member(caller: Caller, place: MemberPlace, options: MemberOptions): Promise<MemberDownload>;
}

export interface MemberOptions {
  readonly is_head: boolean;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
}

interface Deps {
  readonly access: FileAccess;
  readonly slots: DownloadSlots;
  readonly turns: ArchiveTurns;
  readonly large_answers: LargeAnswers;
  readonly trail: AuditTrail;
}

export function createArchives({ access, slots, turns, large_answers, trail }: Deps): Archives {
  async function open(
    caller: Caller,
    { server_id, path, encoding, member: name }: MemberPlace,
    { slot, is_head, signal: gone }: MemberOptions & { slot: DownloadSlot },
  ): Promise<MemberDownload> {
    const request = { caller, server_id, operation: 'archive' as const, paths: { path }, signal: gone };
    return access.act(request, async ({ server, session, real, signal }) => {
      const zip = await session.openZip(real.path);
      try {
        const { member, end } = await turns({ user_id: caller.user_id, signal }, async () => {
          const directory = await readAllMembers(zip, { signal, encoding });
          const member = memberCalled(name, directory.members);
          return { member, end: (await endsOf(directory)).get(member) ?? 0 };
        });
        const detail = `${serverLabel(server)}: ${real.path} (${name})`;
        if (!is_head) await trail.record(caller, 'sftp_download', detail, { retry: false });
        return {
          name: portable(member.name.slice(member.name.lastIndexOf('/') + 1)),
          size: member.size,
          modified: member.modified,
          etag: `"${member.crc.toString(36)}-${member.size.toString(36)}"`,
          stream: () => slot.stream(server, () => memberStream(zip.content(member, end), () => zip.close())),
          close() {
            slot.leave();
            return zip.close();
          },
        };
      } catch (error) {
        await zip.close();
        throw error;
      }
    });
  }

  return {
    list: (caller, { server_id, path, encoding }, { signal, answered }) =>
      access.act({ caller, server_id, operation: 'archive', paths: { path }, signal }, (granted) => {
        const turn = { user_id: caller.user_id, signal: granted.signal };
        return turns(turn, () =>
          large_answers({ ...turn, answered }, async (grow) => {
            await grow(ANY_SIZE);
            return listOf(granted, encoding);
          }),
        );
      }),

    async member(caller, place, options) {
      assertMay(caller, 'read_files');
      const slot = slots.begin(caller);
      try {
        return await open(caller, place, { slot, ...options });
      } catch (error) {
        slot.leave();
        throw error;
      }
    },
  };
}

async function listOf(
  { session, real, shown, signal }: Granted<'archive'>,
  wanted: string | undefined,
): Promise<ArchiveListing> {
  const zip = await session.openZip(real.path);
  try {
    const { members, truncated, encoding } = await readMembers(zip, { signal, encoding: wanted });
    return { path: shown.path, entries: await toEntries(members), truncated, ...(encoding && { encoding }) };
  } finally {
    await zip.close();
  }
}

/** The first of this name; throws for one that cannot be read. */
function memberCalled(spelled: string, members: readonly ZipMember[]): ZipMember {
  const name = namesOf(spelled);
  const member = members.find((one) => one.name === name);
  if (!member) throw new Fault('member_not_found');
  if (member.kind !== 'file') throw new Fault('not_a_file');
  if (member.is_encrypted) throw new Fault('member_encrypted');
  if (!isSupported(member)) throw new Fault('member_method');
  return member;
}
