import { ModelFailed, type ModelRequest, type ToolCall } from '#core/ports/agent.ts';

const MAX_CALLS = 16; // of one answer
const MAX_ARGUMENTS = 64 * 1024; // characters of one call
const MAX_DEPTH = 32;
const MAX_SIGNATURE = 16 * 1024;
const PLAIN_ID = /^[\w-]{1,64}$/; // what Anthropic accepts

/** A call as the SDK reports it. */
interface ReportedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON of the arguments; empty for none. */
  readonly input: string;
  readonly providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/** Bounds the calls of one answer and gives each an id that no other call of the conversation has. */
export interface CallReader {
  /** Text of arguments that arrives; counts for the call with this id. */
  grow(id: string, text: string): void;
  toCall(reported: ReportedCall): ToolCall;
}

export function createCallReader({ messages }: Pick<ModelRequest, 'messages'>): CallReader {
  const taken = new Set(
    messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : [])),
  );
  const sizes = new Map<string, number>();

  function grow(id: string, text: string): void {
    const size = (sizes.get(id) ?? 0) + text.length;
    sizes.set(id, size);
    if (sizes.size > MAX_CALLS)
      throw new ModelFailed(`The model called more than ${MAX_CALLS} tools at once`);
    if (size > MAX_ARGUMENTS)
      throw new ModelFailed('The model called a tool with more than 64 KiB of arguments');
  }

  function freeId(wanted: string): string {
    let id = PLAIN_ID.test(wanted) && !taken.has(wanted) ? wanted : newId();
    while (taken.has(id)) id = newId();
    taken.add(id);
    return id;
  }

  return {
    grow,
    toCall({ toolCallId, toolName, input, providerMetadata }) {
      grow(toolCallId, '');
      const signature = signatureIn(providerMetadata);
      return {
        id: freeId(toolCallId),
        tool: toolName.replace(/[^\w-]/g, '_').slice(0, 64) || '_',
        arguments: argumentsIn(input),
        ...(signature === undefined ? {} : { signature }),
      };
    },
  };
}

/** Nine letters and digits, which every provider accepts; Mistral accepts nothing else. */
function newId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 9);
}

function signatureIn(metadata: ReportedCall['providerMetadata']): string | undefined {
  const found = Object.values(metadata ?? {}).map(({ thoughtSignature }) => thoughtSignature)[0];
  return typeof found === 'string' && found.length <= MAX_SIGNATURE ? found : undefined;
}

function argumentsIn(input: string): ToolCall['arguments'] {
  if (input.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(input);
    return isPlainObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Deep values overflow the stack of whatever walks them later; keys such as `__proto__` change what they are assigned to. */
function isPlainObject(input: unknown): input is Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const objects = level.filter((one): one is object => typeof one === 'object' && one !== null);
    if (objects.some(reachesPrototype)) return false;
    level = objects.flatMap((one): unknown[] => Object.values(one));
  }
  return true;
}

function reachesPrototype(one: object): boolean {
  return Object.hasOwn(one, '__proto__') || Object.hasOwn(one, 'constructor');
}
