import { z } from 'zod';
import { FAULTS, Fault, type FaultCode } from '#core/errors.ts';
import { isEncodingName } from '#core/lib/text/encodings.ts';
import { Stage } from '#core/model/hosts/connection-test.ts';
import { HopConnection } from '#core/model/hosts/hop-connection.ts';
import { AlgorithmSet } from '#core/model/hosts/server.ts';
import { BadFrame, encodeFrame, FRAME_KINDS } from './frames.ts';

/** Raised when a keeper and a gateway of different versions would misunderstand each other. */
export const PROTOCOL = 1;

export const MAX_ABOUT_CHARACTERS = 16 * 1024;
const MAX_MARKS = 4096;
const Text = z.string().max(64 * 1024);
const Count = z.int().nonnegative();
const Size = z.object({ cols: z.int().min(1).max(1000), rows: z.int().min(1).max(1000) });
const Terminal = z.object({ type: z.string().max(64), encoding: z.string().refine(isEncodingName) });
const HostKey = z.object({ host_key: Text, fingerprint: Text });

const WireFault = z.object({
  code: z.string(),
  detail: Text,
  stage: Stage.optional(),
  hop: Text.optional(),
  presented_host_key: Text.optional(),
});
type WireFault = z.infer<typeof WireFault>;

const Key = z.object({ private_key: Text, passphrase: Text });

const Auth = z.discriminatedUnion('method', [
  z.object({ method: z.literal('password'), password: Text, key: Key.optional() }),
  z.object({ method: z.literal('key'), ...Key.shape, password: Text.optional() }),
  z.object({ method: z.literal('prompt') }),
]);

const Hop = z.object({
  server_id: Count,
  name: Text,
  hostname: Text,
  port: z.int().min(1).max(65_535),
  username: Text,
  auth: Auth,
  algorithms: AlgorithmSet,
  known_host_keys: z.array(Text),
  revision: Text,
  is_kept: z.literal(true).optional(),
  quick_user_id: Count.optional(),
  /** The gateway decides which addresses may be dialled. */
  is_restricted: z.boolean(),
});
export type WireHop = z.infer<typeof Hop>;

export const WireTarget = z.object({
  hops: z.tuple([Hop], Hop),
  owner: Text.optional(),
  user_id: Count.optional(),
});
export type WireTarget = z.infer<typeof WireTarget>;

const Question = z.object({
  name: Text,
  instructions: Text,
  is_ours: z.boolean(),
  prompts: z.array(z.object({ text: Text, echo: z.boolean(), value: Text.optional() })),
});

const End = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exit'), code: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ kind: z.literal('lost'), fault: WireFault }),
]);

/** The first messages of both sides: their form never changes, so that every version understands them. */
const Hello = z.object({ say: z.literal('hello'), protocol: Count, version: z.string().max(100) });
const Welcome = z.object({
  say: z.literal('welcome'),
  protocol: Count,
  version: z.string().max(100),
  /** How many shells it keeps. */
  shells: Count,
  /** How many other gateways are connected. */
  others: Count,
});
const Stop = z.object({ say: z.literal('stop') });

const call = z.int().positive();

/** From a gateway to its keeper. */
export const Order = z.discriminatedUnion('say', [
  Hello,
  Stop,
  z.object({
    say: z.literal('open'),
    call,
    target: WireTarget,
    size: Size,
    terminal: Terminal.optional(),
    lang: Text.optional(),
    timeout_ms: Count,
    /** The gateway understands `connection`; one of an earlier version would close its line. */
    hears_connection: z.literal(true).optional(),
  }),
  z.object({ say: z.literal('abort'), call }),
  z.object({ say: z.literal('answer'), question: call, value: z.unknown(), fault: WireFault.optional() }),
  z.object({ say: z.literal('unheld'), call }),
  z.object({ say: z.literal('adopt'), call }),
  z.object({ say: z.literal('resize'), ...Size.shape }),
  z.object({ say: z.literal('close') }),
  z.object({ say: z.literal('forget') }),
  z.object({ say: z.literal('release') }),
  z.object({
    say: z.literal('note'),
    about: z.string().max(MAX_ABOUT_CHARACTERS),
    keep_ms: Count,
    is_recorded: z.boolean(),
  }),
  z.object({ say: z.literal('recorded'), offset: Count, size_bytes: Count }),
]);
export type Order = z.infer<typeof Order>;

const Adopted = z.object({
  about: z.string().max(MAX_ABOUT_CHARACTERS),
  start: Count,
  end: Count,
  sizes: z.array(Size.extend({ offset: Count, age_ms: z.number() })).max(MAX_MARKS),
  times: z.array(z.object({ offset: Count, age_ms: z.number() })).max(MAX_MARKS),
  recorded: z.object({ offset: Count, size_bytes: Count }).optional(),
  unheld_ms: z.number(),
});
export type Adopted = z.infer<typeof Adopted>;

/** What a keeper asks the gateway that dials. */
const Asked = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('person'), question: Question }),
  z.object({ ask: z.literal('judge'), hop: Count, presented: HostKey }),
  z.object({ ask: z.literal('pin'), hop: Count, presented: HostKey }),
  z.object({ ask: z.literal('address'), hop: Count, address: Text }),
]);
export type Asked = z.infer<typeof Asked>;

const Told = z.discriminatedUnion('tell', [
  z.object({ tell: z.literal('stage'), stage: Stage, hop: Text.optional() }),
  z.object({ tell: z.literal('banner'), name: Text, text: Text }),
  /** `at` is the index of the hop; a keeper of an earlier version sends none. */
  z.object({ tell: z.literal('connection'), connection: HopConnection, at: Count.optional() }),
  z.object({ tell: z.literal('announced'), hop: Count, presented: HostKey, keys: z.array(HostKey).max(100) }),
]);
export type Told = z.infer<typeof Told>;

/** From a keeper to a gateway. */
export const Report = z.discriminatedUnion('say', [
  Welcome,
  /** `encoding`: what the keeper converts; absent from one that converts nothing. */
  z.object({ say: z.literal('opened'), call, encoding: z.string().optional() }),
  z.object({ say: z.literal('failed'), call, fault: WireFault }),
  z.object({ say: z.literal('asked'), call, question: call, asked: Asked }),
  z.object({ say: z.literal('unasked'), question: call }),
  z.object({ say: z.literal('told'), call, told: Told }),
  z.object({ say: z.literal('listed'), call, shells: z.array(call).max(100_000) }),
  z.object({ say: z.literal('unheld'), shells: z.array(call).max(100_000) }),
  z.object({ say: z.literal('adopted'), call, adopted: Adopted.optional() }),
  z.object({ say: z.literal('ended'), end: End }),
]);
export type Report = z.infer<typeof Report>;

export function encodeMessage(shell: number, message: Order | Report): Buffer {
  return encodeFrame(FRAME_KINDS.control, shell, Buffer.from(JSON.stringify(message)));
}

/** Throws `BadFrame`, never with the content of the message. */
export function decodeMessage<T>(schema: z.ZodType<T>, payload: Buffer): T {
  const parsed = schema.safeParse(json(payload));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadFrame(`A message is not valid at ${issue?.path.join('.') ?? ''}`);
}

function json(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    throw new BadFrame('A message is not JSON');
  }
}

export function toWireFault({ code, detail, options }: Fault): WireFault {
  const { stage, hop, presented_host_key } = options;
  return {
    code,
    detail,
    ...(stage !== undefined && { stage }),
    ...(hop !== undefined && { hop }),
    ...(presented_host_key !== undefined && { presented_host_key }),
  };
}

export function toFaultAgain({ code, detail, ...options }: WireFault): Fault {
  return isFaultCode(code) ? new Fault(code, detail, given(options)) : new Fault('internal');
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(FAULTS, code);
}

function given({ stage, hop, presented_host_key }: Omit<WireFault, 'code' | 'detail'>): Fault['options'] {
  return {
    ...(stage !== undefined && { stage }),
    ...(hop !== undefined && { hop }),
    ...(presented_host_key !== undefined && { presented_host_key }),
  };
}
