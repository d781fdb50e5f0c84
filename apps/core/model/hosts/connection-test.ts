import { z } from 'zod';
import { STAGES } from '../../errors.ts';
import { filled } from '../../lib/text/template.ts';
import { HopConnection } from './hop-connection.ts';

export const Stage = z.enum(STAGES).meta({ 'x-extensible': true });
export type Stage = z.infer<typeof Stage>;

const StageName = Stage.exclude(['shell']).meta({ 'x-extensible': true });

/** What a stage says when it has passed; names in braces are its values. */
const STAGE_TEXTS = {
  resolved: '{addresses}',
  resolved_by: 'Resolved by {server}',
  connected: 'Connected to {address}',
  forwarded: 'Forwarded by {server}',
  identified: '{software}',
  key_verified: '{fingerprint}',
  key_not_verified: '{fingerprint} (not verified)',
  accepted: 'User {username} accepted by {method}',
  accepted_without: 'User {username} accepted without any credential',
  not_tried: 'Not tried: the username and password are entered at connect',
  sftp_available: 'SFTP available',
  passed: 'Passed',
} as const;
export const STAGE_CODES = Object.keys(STAGE_TEXTS) as readonly StageCode[];
type StageCode = keyof typeof STAGE_TEXTS;

export interface StageNote {
  readonly code: StageCode;
  readonly detail: string;
  readonly values: Readonly<Record<string, string>>;
}

export function stageNote(code: StageCode, values: Readonly<Record<string, string>> = {}): StageNote {
  return { code, detail: filled(STAGE_TEXTS[code], values), values };
}

export const TestStage = z.object({
  name: StageName,
  hop: z.string().describe('Name of the server this stage reached'),
  ok: z.boolean(),
  ms: z.number(),
  detail: z.string().describe('In English'),
  code: z
    .string()
    .describe('What `detail` says, for translations: the code of the error if the stage failed'),
  values: z.record(z.string(), z.string()).describe('What `detail` names, by the role it plays there'),
  banner: z
    .string()
    .optional()
    .describe('What the host says before it lets a user in (RFC 4252 §5.4), without control characters'),
  presented_host_key: z
    .string()
    .optional()
    .describe('The host key that was refused, as in a `known_hosts` file'),
  presented_fingerprint: z.string().optional().describe('Its fingerprint, as OpenSSH prints it'),
});
export type TestStage = z.infer<typeof TestStage>;

export const ConnectionTest = z
  .object({
    success: z.boolean(),
    message: z.string().describe('In English'),
    code: z.string().nullable().describe('The code of the error; null when the test succeeded'),
    stages: z.array(TestStage),
    connection: z
      .array(HopConnection)
      .describe('Each server whose host key was accepted, without jump hosts that the caller may not reach'),
  })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** The test while it runs: each stage as it begins and ends, then the whole result. */
export const TestEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('begin'), name: StageName, hop: z.string() }),
    z.object({ type: z.literal('stage'), stage: TestStage }),
    z.object({ type: z.literal('result'), result: ConnectionTest }),
  ])
  .meta({ id: 'ConnectionTestEvent', 'x-extensible': true });
export type TestEvent = z.infer<typeof TestEvent>;
