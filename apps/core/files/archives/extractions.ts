import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault, toFault } from '../../errors.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { namesOf } from '../../lib/paths/path-bytes.ts';
import { parentOf } from '../../lib/paths/posix-path.ts';
import { MAX_EXTRACTIONS } from '../../limits.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { ExtractEnd, ExtractInput, ExtractStep } from '../../model/files/archive.ts';
import { assertMay } from '../../policy/account.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { RemoteZip, ZipMember } from '../../ports/zip.ts';
import type { FileAccess, Granted } from '../access.ts';
import type { Replacements } from '../replacements.ts';
import { boundedTotal, endsOf } from './bounds.ts';
import { readAllMembers } from './entries.ts';
import { extractAll } from './extract.ts';
import { MAX_DEPTH } from './names.ts';
import { planExtraction } from './plan.ts';
import { createTally } from './tally.ts';
import { lookAtTarget } from './target.ts';
import type { ArchiveTurns } from './turns.ts';

export interface ExtractOptions {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** First called when the archive and the target have been checked, and nothing has been written yet. */
  readonly watch: (event: ExtractStep) => void;
}

/** Extracts ZIP archives on a host into a directory of the same host, through the gateway. */
export interface Extractions {
  /** Throws while nothing has been written; a later failure is an `error` that says what was. */
  extract(
    caller: Caller,
    input: ExtractInput & { readonly server_id: number },
    options: ExtractOptions,
  ): Promise<ExtractEnd>;
}

interface Deps {
  readonly access: FileAccess;
  readonly replacements: Replacements;
  readonly turns: ArchiveTurns;
  readonly trail: AuditTrail;
  readonly clock: Pick<Clock, 'elapsed_ms'>;
  readonly meter: Pick<Meter, 'add'>;
}

export function createExtractions(deps: Deps): Extractions {
  const { access } = deps;
  const enter = createUserSlots();
  return {
    async extract(caller, { server_id, path, target_path, ...wanted }, { signal, watch }) {
      assertMay(caller, 'write_files');
      const leave = enter(caller.user_id);
      const request = {
        caller,
        server_id,
        operation: 'extract' as const,
        paths: { path, target_path },
        signal,
      };
      const extraction = access.act(request, async (granted) => {
        const zip = await granted.session.openZip(granted.real.path);
        try {
          return await run(deps, { caller, granted, zip, wanted, watch });
        } finally {
          await zip.close();
        }
      });
      return extraction.finally(leave);
    },
  };
}

/** Throws `too_many_extractions`; the result leaves the slot. */
export function createUserSlots(most = MAX_EXTRACTIONS): (user_id: number) => () => void {
  const counts = new Map<number, number>();
  return (user_id) => {
    const count = counts.get(user_id) ?? 0;
    if (count >= most) throw new Fault('too_many_extractions', undefined, { retry_after: 5 });
    counts.set(user_id, count + 1);
    return () => {
      const left = (counts.get(user_id) ?? 1) - 1;
      if (left === 0) counts.delete(user_id);
      else counts.set(user_id, left);
    };
  };
}

interface Work {
  readonly caller: Caller;
  readonly granted: Granted<'extract'>;
  readonly zip: RemoteZip;
  readonly wanted: Pick<ExtractInput, 'encoding' | 'members' | 'overwrite' | 'on_conflict'>;
  readonly watch: ExtractOptions['watch'];
}

/** What to write, and where. Nothing has been written yet. */
async function prepare({ granted, zip, wanted }: Work) {
  const { session, real, signal } = granted;
  const directory = await readAllMembers(zip, { signal, encoding: wanted.encoding });
  const ends = await endsOf(directory);
  const plan = await planExtraction(await selected(directory.members, wanted.members), real.target_path);
  const on_conflict = wanted.overwrite ? 'overwrite' : (wanted.on_conflict ?? 'refuse');
  const place = { session, real_path: real.target_path, archive_path: real.path, on_conflict, signal };
  const target = await lookAtTarget(plan, place);
  const existing_path = target.missing.has('') ? parentOf(real.target_path) : real.target_path;
  const space = await session.space(existing_path);
  const total = boundedTotal(
    target.files.map(({ planned }) => planned.member),
    space?.free_bytes,
  );
  return { ends, plan, target, total };
}

async function run(deps: Deps, work: Work): Promise<ExtractEnd> {
  const { caller, granted, zip, watch } = work;
  const { server, session, real, shown, signal } = granted;
  const { replacements, turns, trail, clock, meter } = deps;
  const { user_id } = caller;
  const { ends, plan, target, total } = await turns({ user_id, signal }, () => prepare(work));
  const detail = `${serverLabel(server)}: ${real.path} to ${real.target_path}`;
  await trail.record(caller, 'sftp_extract', detail, { retry: false });
  const tally = createTally({ total, watch, clock, meter });
  tally.begin();
  const giveWay = createGiveWay();
  for (const { member, fault } of [...plan.skipped, ...target.skipped]) {
    tally.skip(member, fault);
    await giveWay();
  }
  for (const [path, fault] of target.blocked) tally.skipDirectory(path, fault);
  try {
    await extractAll({ session, server, user_id, replacements, zip, ends, target, tally, signal });
    return tally.end(shown.target_path);
  } catch (error) {
    const fault = toFault(signal.aborted ? signal.reason : error);
    const end = tally.failed(fault, target.files);
    const ending = `; stopped after files: ${end.created} (${fault.code})`;
    await trail.record(caller, 'sftp_extract', detail + ending);
    return end;
  }
}

/** Throws `member_not_found` for a name that selects nothing. */
async function selected(
  members: readonly ZipMember[],
  wanted: readonly string[] | undefined,
): Promise<readonly ZipMember[]> {
  if (!wanted) return members;
  const names = new Set(wanted.map((one) => namesOf(one).replace(/\/$/, '')));
  const unused = new Set(names);
  const kept: ZipMember[] = [];
  const giveWay = createGiveWay();
  for (const member of members) {
    await giveWay();
    const found = [member.name, ...parentsOf(member.name)].filter((one) => names.has(one));
    for (const one of found) unused.delete(one);
    if (found.length > 0) kept.push(member);
  }
  const [missing] = unused;
  if (missing !== undefined) throw new Fault('member_not_found');
  return kept;
}

/** Only as many as can be extracted: a name of slashes has thousands. */
function* parentsOf(name: string): Generator<string> {
  let cut = name.indexOf('/', 1);
  for (let depth = 1; cut > 0 && depth < MAX_DEPTH; depth += 1) {
    yield name.slice(0, cut);
    cut = name.indexOf('/', cut + 1);
  }
}
