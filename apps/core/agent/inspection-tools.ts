import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault, type FaultCode, toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import { hiddenHopsFor } from '../hosts/hidden-hops.ts';
import type { Reach } from '../hosts/reach.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { Inspected, InspectionRequest, Inspections } from '../ports/inspections.ts';
import type { SshTarget } from '../ports/ssh.ts';
import { type Argv, ENVIRONMENT, INSPECTIONS, type Inspection } from './inspections.ts';
import { defineTool, type Found, notSupported, type Tool, type ToolContext } from './tool.ts';

const TIMEOUT_MS = 15_000;
const LIMIT_BYTES = 64 * 1024;

export interface InspectionDeps {
  readonly reach: Reach;
  readonly connections: Pick<Connections, 'targetFor' | 'forgetTyped' | 'wayTo'>;
  readonly inspections: Inspections;
  readonly activities: ActivityRegistry;
}

/** Tools over SSH, for users who may open a terminal. */
export function createInspectionTools(deps: InspectionDeps): readonly Tool[] {
  return INSPECTIONS.map((inspection) => {
    const { name, description, arguments: shape } = inspection;
    return defineTool({
      name,
      needs: 'ssh',
      description,
      arguments: shape,
      run: (context, args) => inspect(deps, context, { inspection, args }),
    });
  });
}

interface Asked {
  readonly inspection: Inspection;
  readonly args: unknown;
}

async function inspect(
  deps: InspectionDeps,
  context: ToolContext,
  { inspection, args }: Asked,
): Promise<Found> {
  const { caller, server_id } = context;
  const server = await deps.reach(caller, 'open_terminal', server_id);
  const title = inspection.title(args);
  try {
    const { argv, inspected } = await withRight(deps, context, server, async (signal) => {
      const credential = credentialOf(caller);
      const target = { ...(await deps.connections.targetFor(credential, server)), user_id: caller.user_id };
      signal.throwIfAborted();
      return runFirst(deps.inspections, target, inspection.argvs(args), signal);
    });
    if (isMissing(inspected)) return notSupported(`The host has no program ${argv[0]} for this`);
    const output = inspection.shown(inspected.stdout, args);
    return {
      ok: isUsable(inspected),
      text: textOf(argv, inspected, output),
      summary: `Looked at the ${title}`,
    };
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === 'host_auth_failed')
      await deps.connections.forgetTyped(credentialOf(caller), server, fault);
    const told = (await hiddenHopsFor(caller, server, deps.connections)).fault(fault);
    if (RUNS_NOTHING.has(told.code)) return notSupported(told.detail);
    throw told;
  }
}

const RUNS_NOTHING: ReadonlySet<FaultCode> = new Set(['shell_refused', 'login_disabled', 'password_expired']);

interface Ran {
  readonly argv: Argv;
  readonly inspected: Inspected;
}

/** The first program that answers; without one, the first that the host has. */
async function runFirst(
  inspections: Inspections,
  target: SshTarget,
  argvs: readonly Argv[],
  signal: AbortSignal,
): Promise<Ran> {
  const request: InspectionRequest = { signal, timeout_ms: TIMEOUT_MS, limit_bytes: LIMIT_BYTES };
  let best: Ran | undefined;
  for (const argv of argvs) {
    const inspected = await inspections.run(target, [...ENVIRONMENT, ...argv], request);
    const ran = { argv, inspected };
    if (isUsable(inspected)) return ran;
    if (!best || isMissing(best.inspected)) best = ran;
  }
  if (!best) throw new Fault('internal');
  return best;
}

/** Some programs report what they found by their exit code. */
function isUsable({ stdout, exit_code, is_truncated }: Inspected): boolean {
  return (
    exit_code === 0 ||
    is_truncated ||
    (stdout.trim() !== '' && exit_code !== NOT_FOUND && exit_code !== NOT_RUN)
  );
}

const NOT_FOUND = 127;
const NOT_RUN = 126;

function isMissing({ exit_code }: Inspected): boolean {
  return exit_code === NOT_FOUND || exit_code === NOT_RUN;
}

function textOf(argv: Argv, { stderr, exit_code, is_truncated }: Inspected, output: string): string {
  const ending = exit_code === null ? 'ended early' : `exit code ${exit_code}`;
  const cut = is_truncated ? ['[The output is longer, or took too long, and was cut here.]'] : [];
  const errors = exit_code === 0 || stderr.trim() === '' ? [] : [`Errors:\n${stderr}`];
  return [`Program: ${argv.join(' ')} (${ending})`, output, ...cut, ...errors].join('\n');
}

/** Ends the work when the caller loses the right to a terminal, or the server is changed. */
async function withRight<T>(
  { activities }: InspectionDeps,
  { caller, signal }: ToolContext,
  server: ServerRow,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const id = randomToken(16);
  const lost = new AbortController();
  const { user_id, username } = caller;
  const owner = { user_id, username, credential: credentialOf(caller) };
  const info = { id, owner, server: { id: server.id, name: server.name, revision: server.updated_at } };
  activities.addOpening(info, (fault) => lost.abort(fault));
  const either = joinSignals(lost.signal, signal);
  try {
    return await work(either.signal);
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    either.leave();
    activities.remove(id);
  }
}
