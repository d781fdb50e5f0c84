import { z } from 'zod';

const StageName = z.enum(['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp']);

export const TestStage = z.object({
  name: StageName,
  hop: z.string().describe('Name of the server this stage reached'),
  ok: z.boolean(),
  ms: z.number(),
  detail: z.string(),
});
export type TestStage = z.infer<typeof TestStage>;

export const ConnectionTest = z
  .object({ success: z.boolean(), message: z.string(), stages: z.array(TestStage) })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** The same test as it goes: what is begun, what is passed or failed, and the whole at last. */
export const TestEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('begin'), name: StageName, hop: z.string() }),
    z.object({ type: z.literal('stage'), stage: TestStage }),
    z.object({ type: z.literal('result'), result: ConnectionTest }),
  ])
  .meta({ id: 'ConnectionTestEvent' });
export type TestEvent = z.infer<typeof TestEvent>;
