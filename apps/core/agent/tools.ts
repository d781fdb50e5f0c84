import type { z } from 'zod';
import { Fault, type FaultCode } from '../errors.ts';
import type { Files } from '../files/listing.ts';
import type { Looks } from '../files/looks/looks.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import { startDeadline, untilAborted } from '../lib/time/deadline.ts';
import type { Clock } from '../ports/runtime.ts';
import { cleaned, clipped, oneLine } from './clip.ts';
import { createFileTools } from './file-tools.ts';
import { createInspectionTools, type InspectionDeps } from './inspection-tools.ts';
import { masked } from './masking/mask.ts';
import type { AgentTools, Found, Tool, ToolContext, ToolOutcome } from './tool.ts';

export type { AgentTools, ToolOutcome } from './tool.ts';

export interface ToolBounds {
  /** The longest time for one call. */
  readonly longest_ms: number;
  /** The longest text that the model is given. */
  readonly most_characters: number;
}

const BOUNDS: ToolBounds = { longest_ms: 40_000, most_characters: 16_000 };
// More than any file excerpt or program returns. Masking this much hostile text takes less than 50 ms.
const MASKED_CHARACTERS = 72 * 1024;
const SUMMARY_CHARACTERS = 200;

interface Deps extends InspectionDeps {
  readonly files: Pick<Files, 'list' | 'stat' | 'search'>;
  readonly looks: Looks;
  readonly clock: Pick<Clock, 'after'>;
  readonly bounds?: ToolBounds;
}

/** What a language model may ask of a server. It can change nothing. */
export function createAgentTools({ bounds = BOUNDS, clock, ...deps }: Deps): AgentTools {
  const { reach } = deps;
  const tools = [...createFileTools(deps), ...createInspectionTools(deps)];
  const by_name = new Map(tools.map((tool) => [tool.model.name, tool]));

  async function run(tool: Tool, context: ToolContext, args: unknown): Promise<Found> {
    const error = () => new Fault('operation_timeout', 'This took too long');
    const deadline = startDeadline({ after: clock.after, ms: bounds.longest_ms, error });
    const either = joinSignals(context.signal, deadline.signal);
    try {
      const { signal } = either;
      return await untilAborted(signal, tool.run({ ...context, signal }, args));
    } finally {
      either.leave();
      deadline.cancel();
    }
  }

  return {
    offered: ({ sftp_enabled, ssh_enabled }) =>
      tools.filter(({ needs }) => (needs === 'sftp' ? sftp_enabled : ssh_enabled)).map(({ model }) => model),

    async call(context, name, args) {
      context.signal.throwIfAborted();
      const tool = by_name.get(name);
      if (!tool) return toOutcome(refused(`There is no tool named ${name}`), bounds);
      const parsed = tool.arguments.safeParse(args);
      if (!parsed.success) return toOutcome(refused(objection(parsed.error)), bounds);
      try {
        await reach(context.caller, 'ask_agent', context.server_id);
        return toOutcome(await run(tool, context, parsed.data), bounds);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof Fault) || ENDS_TURN.has(error.code)) throw error;
        return toOutcome(refused(error.detail), bounds);
      }
    },
  };
}

/** Not the host's refusal: the caller has lost access, or the gateway cannot work. */
const ENDS_TURN: ReadonlySet<FaultCode> = new Set([
  'server_not_found',
  'agent_disabled_for_server',
  'transfer_ended',
  'terminal_ended',
  'host_auth_failed', // every further try counts as a failed login on the host
  'shutting_down',
  'database_unavailable',
  'database_full',
  'internal',
]);

function refused(reason: string): Found {
  return { ok: false, text: `Error: ${reason}`, summary: reason };
}

function objection({ issues }: z.ZodError): string {
  const told = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return `Wrong arguments: ${told.join('; ')}`;
}

/** Masked before it is clipped, so that no border leaves half of a secret. */
function toOutcome({ ok = true, text, summary }: Found, { most_characters }: ToolBounds): ToolOutcome {
  return {
    ok,
    text: clipped(masked(cleaned(clipped(text, MASKED_CHARACTERS))), most_characters),
    summary: oneLine(masked(cleaned(summary)), SUMMARY_CHARACTERS),
  };
}
