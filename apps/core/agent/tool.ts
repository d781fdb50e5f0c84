import { z } from 'zod';
import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { ModelTool } from '../ports/agent.ts';

export interface ToolContext {
  readonly caller: Caller;
  readonly server_id: number;
  readonly signal: AbortSignal;
}

export interface ToolOutcome {
  readonly ok: boolean;
  /** For the model: clipped, secrets masked. Written by the host, so never to be trusted. */
  readonly text: string;
  /** One line for the person. */
  readonly summary: string;
}

export interface AgentTools {
  /** What may be offered for this server: SFTP tools where `sftp_enabled`, inspections where `ssh_enabled`. */
  offered(server: Pick<ServerRow, 'sftp_enabled' | 'ssh_enabled'>): readonly ModelTool[];
  /**
   * Never throws for bad arguments, unknown tools or what the host refuses (`ok: false` with the reason); throws only the
   * signal's reason and Faults that end the turn (rights lost, server gone).
   */
  call(
    context: ToolContext,
    tool: string,
    args: Readonly<Record<string, unknown>> | undefined,
  ): Promise<ToolOutcome>;
}

/** What a tool has found, as the host wrote it. */
export interface Found {
  /** False for what the host does not offer; true by default. */
  readonly ok?: boolean;
  readonly text: string;
  readonly summary: string;
}

/** Reads something of a host; changes nothing. */
export interface Tool {
  readonly needs: 'sftp' | 'ssh';
  readonly model: ModelTool;
  readonly arguments: z.ZodObject;
  /** Throws a Fault when the host refuses. */
  run(context: ToolContext, args: unknown): Promise<Found>;
}

export interface ToolDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly needs: Tool['needs'];
  /** For the model. */
  readonly description: string;
  readonly arguments: Shape;
  run(context: ToolContext, args: z.infer<z.ZodObject<Shape>>): Promise<Found>;
}

export function defineTool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const { name, needs, description } = definition;
  const schema = z.strictObject(definition.arguments);
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return {
    needs,
    arguments: schema,
    model: { name, description, parameters },
    run: (context, args) => definition.run(context, schema.parse(args)),
  };
}

export function notSupported(reason: string): Found {
  return { ok: false, text: `Not supported here: ${reason}`, summary: `Not supported here: ${reason}` };
}
