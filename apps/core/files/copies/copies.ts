import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault, toFault } from '../../errors.ts';
import { joinPath, nameOf } from '../../lib/paths/posix-path.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { Copied, CopyInput } from '../../model/files/file-change.ts';
import { assertMay } from '../../policy/account.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { FileAccess } from '../access.ts';
import { assertNameFree, type Replacements } from '../replacements.ts';
import type { PartKeeper } from '../uploads/part-keeper.ts';
import type { CopyPlace, CopySource, CopyTarget } from './ends.ts';
import { assertNotIntoItself } from './into-itself.ts';
import { markingTarget } from './marker.ts';
import { type CopyProgress, copyTree } from './tree.ts';

export interface CopyOptions {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  readonly watch?: (event: CopyProgress) => void;
}

/** Copies from host to host through the gateway, without a temporary file. */
export interface Copies {
  /** Complete files remain when the copy fails or is aborted. */
  copy(
    caller: Caller,
    input: CopyInput & { readonly server_id: number },
    options: CopyOptions,
  ): Promise<Copied>;
}

interface Deps {
  readonly access: FileAccess;
  readonly replacements: Replacements;
  readonly keeper: PartKeeper;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
}

export function createCopies({ access, replacements, keeper, trail, clock, meter }: Deps): Copies {
  async function run(
    caller: Caller,
    ends: { from: CopySource; to: CopyTarget },
    rest: Rest,
  ): Promise<Copied> {
    const { from, to } = ends;
    const { overwrite, watch } = rest;
    const place = await placeOf(from, to, overwrite);
    await assertNotIntoItself(from, to, place.real_path);
    const label = (granted: { server: CopySource['server'] }, path: string) =>
      `${serverLabel(granted.server)}: ${path}`;
    const detail = `${label(from, from.real.source_path)} to ${label(to, place.real_path)}`;
    await trail.record(caller, 'sftp_copy', detail, { retry: false });
    const { user_id } = caller;
    const job = { from, to, place, overwrite, watch, replacements, user_id, clock, meter };
    try {
      const copied = await markingTarget(keeper, job, (marker_name) => copyTree({ ...job, marker_name }));
      return { path: place.shown_path, ...copied };
    } catch (error) {
      const { code } = toFault(from.signal.aborted ? from.signal.reason : error);
      await trail.record(caller, 'sftp_copy', `${detail}; not completed (${code})`);
      throw error;
    }
  }

  return {
    async copy(caller, input, { signal, watch }) {
      assertMay(caller, 'write_files');
      const { server_id, source_path, target_server_id, target_path, overwrite = false } = input;
      const source = { caller, server_id, operation: 'copy_from' as const, paths: { source_path }, signal };
      return access.act(source, (from) =>
        access.act(
          {
            caller,
            server_id: target_server_id,
            operation: 'copy_into',
            paths: { target_path },
            signal: from.signal,
          },
          (to) => run(caller, { from, to }, { overwrite, watch }),
        ),
      );
    },
  };
}

interface Rest {
  readonly overwrite: boolean;
  readonly watch: CopyOptions['watch'];
}

/** Like `cp`: into an existing directory, otherwise under the new name. */
async function placeOf(from: CopySource, to: CopyTarget, overwrite: boolean): Promise<CopyPlace> {
  const name = nameOf(from.shown.source_path);
  const found = await to.session.statOf(to.real.target_path);
  if (found?.kind !== 'directory') {
    if (found && !overwrite) throw new Fault('already_exists');
    await assertNameFree(to.session, to.shown.target_path, overwrite);
    return { real_path: to.real.target_path, shown_path: to.shown.target_path };
  }
  if (name === '') throw new Fault('invalid_path', 'The root directory has no name to be copied under');
  const shown_path = joinPath(to.shown.target_path, name);
  const { target_path: real_path } = await to.judge({ target_path: shown_path });
  if (!overwrite && (await to.session.statOf(real_path))) throw new Fault('already_exists');
  await assertNameFree(to.session, shown_path, overwrite);
  return { real_path, shown_path };
}
