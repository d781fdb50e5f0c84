import { z } from 'zod';

/** Where a connection attempt is, or where it failed; `sftp` and `shell` come after authentication. */
export const Stage = z.enum(['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp', 'shell']);
export type Stage = z.infer<typeof Stage>;

const StageName = Stage.exclude(['shell']);

export const TestStage = z.object({
  name: StageName,
  hop: z.string().describe('Name of the server this stage reached'),
  ok: z.boolean(),
  ms: z.number(),
  detail: z.string(),
  banner: z
    .string()
    .optional()
    .describe('What the host says before it lets a user in (RFC 4252 §5.4), without control characters'),
  presented_host_key: z
    .string()
    .optional()
    .describe('The host key that was refused, as in a `known_hosts` file'),
});
export type TestStage = z.infer<typeof TestStage>;

export const ConnectionTest = z
  .object({ success: z.boolean(), message: z.string(), stages: z.array(TestStage) })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** The test while it runs: each stage as it begins and ends, then the whole result. */
export const TestEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('begin'), name: StageName, hop: z.string() }),
    z.object({ type: z.literal('stage'), stage: TestStage }),
    z.object({ type: z.literal('result'), result: ConnectionTest }),
  ])
  .meta({ id: 'ConnectionTestEvent' });
export type TestEvent = z.infer<typeof TestEvent>;
