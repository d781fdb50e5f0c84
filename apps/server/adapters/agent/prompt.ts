import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelMessage, ModelRequest, ModelTool, ToolCall } from '#core/ports/agent.ts';

/** A model as the provider packages of the AI SDK implement it. */
export type SdkModel = ReturnType<ReturnType<typeof createOpenAICompatible>>;
type SdkRequest = Parameters<SdkModel['doStream']>[0];
type SdkMessage = SdkRequest['prompt'][number];
type SdkTool = NonNullable<SdkRequest['tools']>[number];

/** The request in the form of the SDK. */
export function toSdkRequest({ system, messages, tools, ...rest }: ModelRequest): SdkRequest {
  return {
    prompt: [{ role: 'system', content: system }, ...messages.flatMap(toSdkMessage)],
    maxOutputTokens: rest.max_output_tokens,
    abortSignal: rest.signal,
    ...(tools.length > 0 && { tools: tools.map(toSdkTool), toolChoice: { type: 'auto' as const } }),
  };
}

function toSdkMessage(message: ModelMessage): SdkMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: message.text }] }];
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

/** The SDK only reports calls. The caller that runs a tool validates its arguments. */
function toSdkTool({ name, description, parameters: inputSchema }: ModelTool): SdkTool {
  return { type: 'function', name, description, inputSchema };
}
