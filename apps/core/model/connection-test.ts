import { z } from 'zod';

export const TestStage = z.object({
  name: z.enum(['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp']),
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
