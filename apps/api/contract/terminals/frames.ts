import { z } from '@hono/zod-openapi';
import { Stage } from '#core/model/hosts/connection-test.ts';
import { HopConnection } from '#core/model/hosts/hop-connection.ts';
import { ParticipantInfo, QuickTarget, ShareMode } from '#core/model/terminal.ts';

const dimension = z.int().min(1).describe('Clamped to 1000');

const openFields = { type: z.literal('open'), cols: dimension.optional(), rows: dimension.optional() };

/** JSON text frames from the client; binary frames are keystrokes. */
export const ClientFrame = z
  .discriminatedUnion('type', [
    z.object(openFields),
    z.object({ type: z.literal('resize'), cols: z.int(), rows: z.int() }),
    z
      .object({ type: z.literal('ack'), bytes: z.int().min(0) })
      .describe(
        'How many binary bytes of this socket the terminal has parsed so far. Once a client has sent ' +
          'one, at most 1 MiB is sent ahead; send 0 at the start to enable this',
      ),
    z.object({ type: z.literal('answer'), answers: z.array(z.string().max(4096)).max(32) }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'TerminalClientFrame', 'x-extensible': true });
export type ClientFrame = z.infer<typeof ClientFrame>;

/** The first frame of quick connect. */
export const QuickOpenFrame = QuickTarget.extend(openFields).meta({ id: 'TerminalQuickOpenFrame' });
export type QuickOpenFrame = z.infer<typeof QuickOpenFrame>;

export const CLIENT_FRAME_TYPES: ReadonlySet<unknown> = new Set(
  ClientFrame.options.map((option) => option.shape.type.value),
);

const sizeFields = { cols: z.int(), rows: z.int() };

/** JSON text frames from the gateway; binary frames are output. */
export const GatewayFrame = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('session'),
      session_id: z.string(),
      offset: z
        .int()
        .describe(
          'Bytes of output before the first binary frame, not counting the bytes of a current screen',
        ),
      server: z.string(),
      recording: z.boolean().describe('Whether the terminal is being recorded'),
      ...sizeFields,
      resume_s: z.int().describe('Seconds that the shell outlives a broken socket'),
      gap: z
        .boolean()
        .optional()
        .describe('The missed output is no longer available: the current screen is sent first'),
      screen_bytes: z
        .int()
        .optional()
        .describe('With `gap`: how many of the binary bytes are scrollback and current screen'),
      input_bytes: z
        .int()
        .min(0)
        .optional()
        .describe(
          'How many bytes of input the shell has been given from this `client_id`: send what follows again. Absent for ' +
            'a `client_id` that the gateway does not know, whose count begins at 0 now',
        ),
      host_key: z
        .object({ fingerprint: z.string(), is_new: z.boolean() })
        .optional()
        .describe('Quick connect: the pinned host key'),
      connection: z
        .array(HopConnection)
        .describe(
          'Each server on the way, without jump hosts that the user may not reach; empty if an earlier version opened the shell',
        ),
    }),
    z
      .object({
        type: z.literal('joined'),
        session_id: z.string(),
        server: z.string(),
        owner: z.string(),
        mode: ShareMode,
        ...sizeFields,
      })
      .describe('To a guest or watcher: the current screen follows as binary frames'),
    z.object({ type: z.literal('size'), ...sizeFields }).describe('Another member has resized the terminal'),
    z.object({ type: z.literal('participants'), list: z.array(ParticipantInfo) }),
    z
      .object({ type: z.literal('mode'), mode: ShareMode })
      .describe('To a guest: the owner has changed the mode of the share'),
    z.object({ type: z.literal('recording'), active: z.boolean() }),
    z
      .object({ type: z.literal('notice'), code: z.string(), message: z.string() })
      .describe('For people; `code` for programs'),
    z.object({ type: z.literal('exit'), code: z.int().nullable(), signal: z.string().nullable() }),
    z.object({
      type: z.literal('error'),
      code: z.string(),
      message: z.string(),
      stage: Stage.optional(),
      hop: z.string().optional().describe('The server in the chain of jump hosts that failed'),
      presented_host_key: z
        .string()
        .optional()
        .describe('The host key that was refused, as in a `known_hosts` file'),
      presented_fingerprint: z.string().optional().describe('Its fingerprint, as OpenSSH prints it'),
    }),
    z
      .object({
        type: z.literal('stage'),
        stage: Stage,
        hop: z
          .string()
          .optional()
          .describe('The server in the chain of jump hosts that is being connected to'),
      })
      .describe('Progress of opening the terminal; sent only if that takes a noticeable time'),
    z
      .object({
        type: z.literal('prompt'),
        name: z.string().describe('The server that asks'),
        instructions: z.string(),
        prompts: z.array(
          z.object({
            text: z.string(),
            echo: z.boolean().describe('If false, hide what is typed'),
            value: z.string().optional().describe('Used for an empty answer'),
          }),
        ),
      })
      .describe('Answer with one `answer` frame that has one answer per prompt'),
    z
      .object({
        type: z.literal('banner'),
        name: z.string().describe('The server that says it, a jump host or the destination'),
        text: z.string().describe('Printable lines, at most 8 KiB per server'),
      })
      .describe('What a host says before it lets the user in (RFC 4252 §5.4), such as a legal notice'),
    z.object({
      type: z.literal('pong'),
      input_bytes: z
        .int()
        .min(0)
        .optional()
        .describe(
          'To an owner with a `client_id`: how many bytes of its input the shell has been given, over all its sockets',
        ),
    }),
  ])
  .meta({ id: 'TerminalGatewayFrame', 'x-extensible': true });
export type GatewayFrame = z.infer<typeof GatewayFrame>;
