import type { JSONSchema7, ModelMessage as SdkMessage, ToolSet } from 'ai';
import type { ModelMessage, ModelTool, ToolCall } from '#core/ports/agent.ts';

/** The messages in the form of the SDK. */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  return messages.flatMap(toSdkMessage);
}

function toSdkMessage(message: ModelMessage): SdkMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'assistant':
      return toAssistant(message.text, message.calls);
    case 'tool':
      return [{ role: 'tool', content: [toResult(message.call, message.text)] }];
  }
}

function toAssistant(text: string, calls: readonly ToolCall[]): SdkMessage[] {
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  const content = [...said, ...calls.map(toCall)];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toCall({ id, tool, arguments: input = {}, signature }: ToolCall) {
  const signed =
    signature === undefined ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
  return { type: 'tool-call' as const, toolCallId: id, toolName: tool, input, ...signed };
}

function toResult({ id, tool }: ToolCall, value: string) {
  const output = { type: 'text' as const, value };
  return { type: 'tool-result' as const, toolCallId: id, toolName: tool, output };
}

/** Tools without `execute`: the SDK only reports their calls. The caller that runs a tool validates its arguments. */
export function toSdkTools(
  tools: readonly ModelTool[],
  jsonSchema: (schema: JSONSchema7) => ToolSet[string]['inputSchema'],
): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema(parameters as JSONSchema7) }, // `parameters` is JSON Schema, as its port says
    ]),
  );
}
