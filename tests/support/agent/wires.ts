/** What a provider streams, as server-sent events. */
export interface Wire {
  open(): string;
  text(delta: string): string;
  call(index: number, call: { readonly id: string; readonly tool: string }): string;
  argument(index: number, fragment: string): string;
  finish(usage: Usage | undefined, has_calls: boolean): string;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
}

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const chunk = (delta: unknown, finish_reason: string | null = null) =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason }],
  });

const toolDelta = (index: number, rest: Readonly<Record<string, unknown>>) =>
  chunk({ tool_calls: [{ index, ...rest }] });

/** `POST /chat/completions`. */
export const openaiWire: Wire = {
  open: () => chunk({ role: 'assistant', content: '' }),
  text: (content) => chunk({ content }),
  call: (index, { id, tool: name }) =>
    toolDelta(index, { id, type: 'function', function: { name, arguments: '' } }),
  argument: (index, fragment) => toolDelta(index, { function: { arguments: fragment } }),
  finish(usage, has_calls) {
    const counted = usage && {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    };
    const last = counted ? event({ id: 'chatcmpl-1', choices: [], usage: counted }) : '';
    return `${chunk({}, has_calls ? 'tool_calls' : 'stop')}${last}data: [DONE]\n\n`;
  },
};

/** `POST /messages`: one block for the text, then one for each call. */
export function createAnthropicWire(): Wire {
  let open_block = -1;
  const start = (content_block: unknown) => {
    const closing = stop();
    open_block += 1;
    const data = { type: 'content_block_start', index: open_block, content_block };
    return `${closing}${event(data, 'content_block_start')}`;
  };
  const stop = () =>
    open_block < 0 ? '' : event({ type: 'content_block_stop', index: open_block }, 'content_block_stop');
  const delta = (data: unknown) =>
    event({ type: 'content_block_delta', index: open_block, delta: data }, 'content_block_delta');
  return {
    open() {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: [] };
      const opened = { type: 'message_start', message: { ...message, stop_reason: null, usage } };
      return event(opened, 'message_start');
    },
    text(text) {
      const opening = open_block < 0 ? start({ type: 'text', text: '' }) : '';
      return `${opening}${delta({ type: 'text_delta', text })}`;
    },
    call: (_index, { id, tool: name }) => start({ type: 'tool_use', id, name, input: {} }),
    argument: (_index, partial_json) => delta({ type: 'input_json_delta', partial_json }),
    finish(usage, has_calls) {
      const stop_reason = has_calls ? 'tool_use' : 'end_turn';
      const counted = { input_tokens: usage?.input ?? 0, output_tokens: usage?.output ?? 0 };
      const data = { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: counted };
      return `${stop()}${event(data, 'message_delta')}${event({ type: 'message_stop' }, 'message_stop')}`;
    },
  };
}
