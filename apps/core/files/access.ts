import { type HeldRight, holdRight } from '../activities/held-right.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault, toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import { hiddenHopsFor } from '../hosts/hidden-hops.ts';
import type { Reach } from '../hosts/reach.ts';
import { normalizePath } from '../lib/paths/posix-path.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { Action } from '../policy/actions.ts';
import { actionOf, assertMayWrite, type Operation, type PathsOf } from '../policy/sftp-rules.ts';
import type { FileSession, Files as FilesPort } from '../ports/files.ts';
import type { SshTarget } from '../ports/ssh.ts';
import { noTracer, type Tracer } from '../ports/tracing.ts';
import { createJudge } from './judge.ts';

/** What the access rules allow: paths as the host resolves them. */
export interface Granted<O extends Operation> {
  readonly server: ServerRow;
  readonly session: FileSession;
  readonly real: PathsOf<O>;
  /** The paths as the caller wrote them, normalized. */
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
  /** Default: `read_files` or `write_files`, as the operation does. */
  readonly action?: Action | undefined;
}

/** A question about paths that does not contact the host. */
export interface AskRequest
  extends Pick<ActRequest<Operation>, 'caller' | 'server_id' | 'operation' | 'action'> {
  readonly paths: readonly string[];
}

/** The only access to a host's files. Checks reach and read-only, connects, resolves paths, checks allowed directories, then runs the work. */
export interface FileAccess {
  /** Releases the session after the work; aborts when the caller loses access. */
  act<O extends Operation, T>(request: ActRequest<O>, work: (granted: Granted<O>) => Promise<T>): Promise<T>;
  /** Throws for a path that the caller may never use, without asking the host. */
  assertMayAsk(request: AskRequest): Promise<ServerRow>;
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
      const target = { ...(await connections.targetFor(credential, server)), user_id: caller.user_id };
      const session = await files.open(target, { is_confined: server.sftp_allowed_paths.length > 0 });
      opened?.(server, target);
      return session;
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'host_auth_failed') await connections.forgetTyped(credential, server, fault);
      throw (await hiddenHopsFor(caller, server, connections)).fault(error);
    }
  }

  async function assertMayAsk({
    caller,
    server_id,
    operation,
    paths,
    action,
  }: AskRequest): Promise<ServerRow> {
    const server = await reach(caller, action ?? actionOf(operation), server_id);
    assertMayWrite(server, operation);
    for (const path of paths) normalizePath(path);
    return server;
  }

  async function act<O extends Operation, T>(
    { paths, signal, ...asked }: ActRequest<O>,
    work: (granted: Granted<O>) => Promise<T>,
  ): Promise<T> {
    const { caller, operation } = asked;
    const server = await assertMayAsk({ ...asked, paths: Object.values(paths) });
    const held = holdTransfer(activities, caller, server, signal);
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
export function holdTransfer(
  activities: ActivityRegistry,
  caller: Caller,
  { id, name, updated_at: revision }: Pick<ServerRow, 'id' | 'name' | 'updated_at'>,
  gone?: AbortSignal,
): HeldRight {
  return holdRight(activities, caller, {
    add: activities.addTransfer,
    reasonOf: ({ detail }) => new Fault('transfer_ended', detail),
    server: { id, name, revision },
    gone,
  });
}
