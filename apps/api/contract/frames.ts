import { z } from '@hono/zod-openapi';

const dimension = z.int().min(1).describe('Clamped to 1000');

/** What a terminal's client says, as JSON in text frames; binary frames are keystrokes. */
export const ClientFrame = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('open'), cols: dimension.optional(), rows: dimension.optional() }),
    z.object({ type: z.literal('resize'), cols: z.int(), rows: z.int() }),
    z.object({ type: z.literal('ack'), bytes: z.int().min(0) }),
    z.object({ type: z.literal('answer'), answers: z.array(z.string().max(4096)).max(32) }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'TerminalClientFrame' });
export type ClientFrame = z.infer<typeof ClientFrame>;

export const CLIENT_FRAME_TYPES: ReadonlySet<unknown> = new Set(
  ClientFrame.options.map((option) => option.shape.type.value),
);

/** What the gateway says, as JSON in text frames; binary frames are output. */
export const GatewayFrame = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('session'),
      session_id: z.string(),
      offset: z.int().describe('Bytes of output before the first binary frame'),
      server: z.string(),
    }),
    z.object({ type: z.literal('exit'), code: z.int().nullable(), signal: z.string().nullable() }),
    z.object({
      type: z.literal('error'),
      code: z.string(),
      message: z.string(),
      stage: z.enum(['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp', 'shell']).optional(),
      hop: z.string().optional().describe('The server at which a chain of jump hosts failed'),
    }),
    z
      .object({
        type: z.literal('prompt'),
        name: z.string().describe('The server that asks'),
        instructions: z.string(),
        prompts: z.array(
          z.object({
            text: z.string(),
            echo: z.boolean().describe('False: what is typed must not be shown'),
            value: z.string().optional().describe('What an empty answer means'),
          }),
        ),
      })
      .describe('To be answered by one `answer` frame with as many answers'),
    z.object({ type: z.literal('pong') }),
  ])
  .meta({ id: 'TerminalGatewayFrame' });
export type GatewayFrame = z.infer<typeof GatewayFrame>;
