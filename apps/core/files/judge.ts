import { Fault } from '../errors.ts';
import { joinPath, nameOf, normalizePath, parentOf } from '../lib/paths/posix-path.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import {
  assertMayReplace,
  authorizePath,
  isOnTheWay,
  makesFiles,
  OPERATIONS,
  type Operation,
  type PathRule,
  type PathsOf,
} from '../policy/sftp-rules.ts';
import type { FileSession } from '../ports/files.ts';
import { entriesOnTheWay } from './allowed-directories.ts';
import { followDangling, type Resolved, resolve } from './resolve.ts';

/** Resolves the paths on the host and checks them. */
export function createJudge<O extends Operation>(session: FileSession, server: ServerRow, operation: O) {
  let reading: Promise<Allowed> | undefined;
  const allowed = () => {
    reading ??= readAllowed(session, server);
    return reading;
  };

  async function judgeOne(rule: PathRule, path: string): Promise<string> {
    if (rule === 'member' && path === '/') throw new Fault('path_outside_allowed'); // the root has no parent
    const { sftp_allowed_paths, entries } = await allowed();
    const named = await resolvePlace(session, path, rule);
    if (rule === 'place') await assertNoLink(session, await entries(), named.path);
    const place = rule === 'place' && makesFiles(operation) ? await followDangling(session, named) : named;
    const { path: real_path, missing, depth } = place;
    authorizePath({ sftp_allowed_paths }, rule, real_path);
    if (rule === 'member') assertMayReplace(await entries(), real_path);
    const may_be_missing = isNotFound(missing) && (rule === 'new' || (rule === 'place' && depth === 1));
    if (missing && !may_be_missing) throw missing; // checked last: outside the allowed directories, existence is not revealed
    return real_path;
  }

  return async (paths: PathsOf<O>): Promise<{ real: PathsOf<O>; shown: PathsOf<O> }> => {
    const rules: Readonly<Record<string, PathRule>> = OPERATIONS[operation].paths;
    const shown = Object.entries<string>(paths).map(([key, path]) => [key, normalizePath(path)] as const);
    const real = await Promise.all(
      shown.map(async ([key, path]) => [key, await judgeOne(rules[key] ?? 'member', path)] as const),
    );
    return { real: toPaths<O>(real), shown: toPaths<O>(shown) };
  };
}

interface Allowed {
  /** Real paths. */
  readonly sftp_allowed_paths: string[];
  /** Names that nothing may replace. */
  entries(): Promise<string[]>;
}

async function readAllowed(session: FileSession, { sftp_allowed_paths: paths }: ServerRow): Promise<Allowed> {
  const places = await Promise.all(
    paths.map(async (path) => ({ path, real: (await resolve(session, normalizePath(path))).path })),
  );
  let entries: Promise<string[]> | undefined;
  return {
    sftp_allowed_paths: places.map(({ real }) => real),
    entries() {
      entries ??= Promise.all(places.map(({ path, real }) => entriesOnTheWay(session, path, real))).then(
        (found) => found.flat(),
      );
      return entries;
    },
  };
}

/** What is created at such a name could lead elsewhere. */
async function assertNoLink(
  session: FileSession,
  entries: readonly string[],
  real_path: string,
): Promise<void> {
  if (!isOnTheWay(entries, real_path)) return;
  const found = await session.statOf(real_path);
  if (found && found.kind !== 'directory' && found.kind !== 'file') assertMayReplace(entries, real_path);
}

/** Derived from the other paths of the operation. */
function toPaths<O extends Operation>(entries: readonly (readonly [string, string])[]): PathsOf<O> {
  return Object.fromEntries(entries) as PathsOf<O>;
}

async function resolvePlace(session: FileSession, path: string, rule: PathRule): Promise<Resolved> {
  if ((rule !== 'entry' && rule !== 'member') || path === '/') return resolve(session, path);
  const parent = await resolve(session, parentOf(path));
  return { ...parent, path: joinPath(parent.path, nameOf(path)) };
}

function isNotFound(fault: Fault | undefined): boolean {
  return fault?.code === 'file_not_found';
}
