import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault, toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import { hiddenHopsFor } from '../hosts/hidden-hops.ts';
import type { Reach } from '../hosts/reach.ts';
import { randomToken } from '../lib/bytes.ts';
import { joinPath, nameOf, normalizePath, parentOf } from '../lib/posix-path.ts';
import type { Caller } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import { credentialOf } from '../policy/account.ts';
import {
  assertMayWrite,
  authorizePath,
  OPERATIONS,
  type Operation,
  type PathRule,
  type PathsOf,
} from '../policy/sftp-rules.ts';
import type { FileSession, Files as FilesPort } from '../ports/files.ts';
import type { SshTarget } from '../ports/ssh.ts';
import { noTracer, type Tracer } from '../ports/tracing.ts';

/** What the access rules allow: paths as the host resolves them. */
export interface Granted<O extends Operation> {
  readonly server: ServerRow;
  readonly session: FileSession;
  readonly real: PathsOf<O>;
  /** As the caller wrote them, normalized. */
  readonly shown: PathsOf<O>;
  /** Aborts when the caller disconnects or loses access. */
  readonly signal: AbortSignal;
  /** Real paths of further paths of the same operation. */
  judge(paths: PathsOf<O>): Promise<PathsOf<O>>;
}

export interface ActOptions {
  /** Aborts when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface ActRequest<O extends Operation> extends ActOptions {
  readonly caller: Caller;
  readonly server_id: number;
  readonly operation: O;
  readonly paths: PathsOf<O>;
}

/** The only access to a host's files. Checks reach and read-only, connects, resolves paths, checks allowed directories, then runs the work. */
export interface FileAccess {
  /** Releases the session after the work; aborts when the caller loses access. */
  act<O extends Operation, T>(request: ActRequest<O>, work: (granted: Granted<O>) => Promise<T>): Promise<T>;
  /** Throws for a path that the caller may never use, without asking the host. */
  assertMayAsk(
    caller: Caller,
    server_id: number,
    operation: Operation,
    paths: readonly string[],
  ): Promise<ServerRow>;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly files: FilesPort;
  readonly activities: ActivityRegistry;
  /** Called when a host has been reached. */
  readonly opened?: (server: ServerRow, target: SshTarget) => void;
  readonly tracer?: Tracer | undefined;
}

export function createFileAccess(deps: Deps): FileAccess {
  const { reach, connections, files, activities, opened, tracer = noTracer } = deps;
  async function openSession(caller: Caller, server: ServerRow): Promise<FileSession> {
    const credential = credentialOf(caller);
    try {
      const target = await connections.targetFor(credential, server);
      const session = await files.open(target);
      opened?.(server, target);
      return session;
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'host_auth_failed') await connections.forgetTyped(credential, server, fault);
      throw (await hiddenHopsFor(caller, server, connections)).fault(error);
    }
  }

  async function assertMayAsk(
    caller: Caller,
    server_id: number,
    operation: Operation,
    paths: readonly string[],
  ): Promise<ServerRow> {
    const server = await reach.forSftp(caller, server_id);
    assertMayWrite(server, operation);
    for (const path of paths) normalizePath(path);
    return server;
  }

  async function act<O extends Operation, T>(
    { caller, server_id, operation, paths, signal }: ActRequest<O>,
    work: (granted: Granted<O>) => Promise<T>,
  ): Promise<T> {
    const server = await assertMayAsk(caller, server_id, operation, Object.values(paths));
    const held = holdRight(activities, caller, server, signal);
    try {
      const session = await openSession(caller, server);
      try {
        const judge = createJudge(session, server, operation);
        const { real, shown } = await judge(paths);
        held.signal.throwIfAborted();
        const judgeMore = async (more: typeof paths) => (await judge(more)).real;
        return await work({ server, session, real, shown, signal: held.signal, judge: judgeMore });
      } finally {
        session.release();
      }
    } catch (error) {
      throw held.signal.aborted ? held.signal.reason : error;
    } finally {
      held.release();
    }
  }

  return {
    assertMayAsk,
    act: (request, work) => {
      const { server_id, operation } = request;
      return tracer.span(`sftp ${operation}`, { server_id, operation }, () => act(request, work));
    },
  };
}

/** Registers work on files so that a loss of access aborts it. */
export function holdRight(
  activities: ActivityRegistry,
  caller: Caller,
  server: Pick<ServerRow, 'id' | 'name' | 'updated_at'>,
  gone?: AbortSignal,
): { readonly signal: AbortSignal; release(): void } {
  const id = randomToken(16);
  const lost = new AbortController();
  const { user_id, username } = caller;
  const owner = { user_id, username, credential: credentialOf(caller) };
  const info = { id, owner, server: { id: server.id, name: server.name, revision: server.updated_at } };
  activities.addTransfer(info, ({ detail }) => lost.abort(new Fault('transfer_ended', detail)));
  const leave = () => lost.abort(new Fault('host_disconnected', 'Nobody waits for it any more'));
  if (gone?.aborted) leave();
  gone?.addEventListener('abort', leave, { once: true });
  return {
    signal: lost.signal,
    release() {
      gone?.removeEventListener('abort', leave);
      activities.remove(id);
    },
  };
}

/** Resolves the paths on the host and checks them. */
function createJudge<O extends Operation>(session: FileSession, server: ServerRow, operation: O) {
  let allowed: Promise<string[]> | undefined;
  const realAllowed = () =>
    Promise.all(
      server.sftp_allowed_paths.map(async (path) => (await resolve(session, normalizePath(path))).path),
    );

  async function judgeOne(rule: PathRule, path: string): Promise<string> {
    if (rule === 'member' && path === '/') throw new Fault('path_outside_allowed'); // the root has no parent
    allowed ??= realAllowed();
    const sftp_allowed_paths = await allowed;
    const { path: real_path, missing, depth } = await resolvePlace(session, path, rule);
    authorizePath({ sftp_allowed_paths }, rule, real_path);
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

/** Derived from the other paths of the operation. */
function toPaths<O extends Operation>(entries: readonly (readonly [string, string])[]): PathsOf<O> {
  return Object.fromEntries(entries) as PathsOf<O>;
}

interface Resolved {
  readonly path: string;
  readonly missing?: Fault;
  /** How many trailing segments do not exist. */
  readonly depth: number;
}

async function resolvePlace(session: FileSession, path: string, rule: PathRule): Promise<Resolved> {
  if ((rule !== 'entry' && rule !== 'member') || path === '/') return resolve(session, path);
  const parent = await resolve(session, parentOf(path));
  return { ...parent, path: joinPath(parent.path, nameOf(path)) };
}

/** The host's realpath; for a missing path, that of its deepest existing parent plus the rest. */
async function resolve(session: FileSession, path: string): Promise<Resolved> {
  try {
    return { path: await session.realpath(path), depth: 0 };
  } catch (error) {
    if (!isAbsent(error) || path === '/') throw error;
    const parent = await resolve(session, parentOf(path));
    return {
      path: joinPath(parent.path, nameOf(path)),
      missing: parent.missing ?? error,
      depth: parent.depth + 1,
    };
  }
}

/** The host says that it does not exist. */
export function isAbsent(error: unknown): error is Fault {
  return (
    error instanceof Fault && ['file_not_found', 'permission_denied', 'not_a_directory'].includes(error.code)
  );
}

function isNotFound(fault: Fault | undefined): boolean {
  return fault?.code === 'file_not_found';
}
