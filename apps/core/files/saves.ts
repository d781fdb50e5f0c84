import { recordOutcome } from '../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { TEXT_LIMIT_BYTES } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Saved, WriteInput } from '../model/files/file-change.ts';
import { assertMay } from '../policy/account.ts';
import type { FileSession } from '../ports/files.ts';
import type { FileAccess } from './access.ts';
import { holdingFile } from './file-holds.ts';
import type { Holds } from './holds.ts';
import { textEtag, toText } from './listing.ts';
import type { Replacements } from './replacements.ts';

/** Preconditions of RFC 9110 §13.1; an absent one is undefined. */
export interface SaveConditions {
  readonly if_match?: string | undefined;
  readonly if_none_match?: string | undefined;
}

export interface Saves {
  write(
    caller: Caller,
    input: WriteInput & { readonly server_id: number },
    conditions: SaveConditions,
  ): Promise<Saved>;
}

interface Deps {
  readonly access: FileAccess;
  readonly replacements: Replacements;
  readonly holds: Holds;
  readonly trail: AuditTrail;
}

export function createSaves({ access, replacements, holds, trail }: Deps): Saves {
  return {
    async write(caller, { server_id, path, content }, conditions) {
      assertMay(caller, 'write_files');
      const bytes = new TextEncoder().encode(content);
      if (bytes.length > TEXT_LIMIT_BYTES) throw new Fault('file_too_large');
      return access.act({ caller, server_id, operation: 'write', paths: { path } }, async (granted) => {
        const { server, session, real, shown, signal } = granted;
        await assertCondition(session, real.path, conditions); // fail before writing anything
        return holdingFile(holds, { server, path: real.path }, async (lost) => {
          const put = replacements.put(session, server, {
            user_id: caller.user_id,
            target_path: real.path,
            source: once(bytes),
            whole: bytes,
            overwrite: true,
            signal: AbortSignal.any([signal, lost]),
            beforePlace: () => assertCondition(session, real.path, conditions),
          });
          await recordOutcome(put, (ending) =>
            trail.record(
              caller,
              'sftp_write',
              `${serverLabel(server)}: ${real.path}${ending || ` (${bytes.length} bytes)`}`,
            ),
          );
          const { in_place, is_mode_kept } = await put;
          const etag = await textEtag(content);
          return { path: shown.path, status: 'saved' as const, etag, in_place, is_mode_kept };
        });
      });
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function assertCondition(
  session: FileSession,
  path: string,
  { if_match, if_none_match }: SaveConditions,
): Promise<void> {
  if (if_none_match !== undefined && matches(if_none_match, undefined) && (await session.statOf(path)))
    throw new Fault('stale_etag', 'There is a file already');
  if (if_match === undefined) return;
  const gone = () => new Fault('stale_etag', 'The file is gone');
  if (matches(if_match, undefined)) {
    if (!(await session.statOf(path))) throw gone();
    return;
  }
  const present = await currentEtag(session, path, gone);
  if (!matches(if_match, present)) throw new Fault('stale_etag');
}

/** A file that is no longer text, or too long, has certainly changed. */
async function currentEtag(
  session: FileSession,
  path: string,
  gone: () => Fault,
): Promise<string | undefined> {
  try {
    return await textEtag(toText(await (await session.openRead(path)).readAll(TEXT_LIMIT_BYTES)));
  } catch (error) {
    if (error instanceof Fault && error.code === 'file_not_found') throw gone();
    if (error instanceof Fault && ['not_text', 'file_too_large'].includes(error.code)) return undefined;
    throw error;
  }
}

/** `*` matches any existing file. */
function matches(condition: string, etag: string | undefined): boolean {
  const listed = condition.split(',').map((one) => one.trim());
  return listed.includes('*') || (etag !== undefined && listed.includes(etag));
}
