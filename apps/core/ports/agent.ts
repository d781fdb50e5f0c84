import type { AgentProvider } from '../model/agent.ts';

/** Where a language model is, and how to use it. */
export interface ModelAddress {
  readonly provider: AgentProvider;
  /** Empty: the provider's own. */
  readonly base_url: string;
  readonly model: string;
  /** Empty for none. */
  readonly api_key: string;
  readonly allow_private_address: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  /** Parsed from the model's JSON; undefined when that is not a JSON object. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  /** Signed by the provider and sent back with the call. Gemini refuses calls without it. */
  readonly signature?: string | undefined;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly call: ToolCall; readonly text: string };

/** A tool as the model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type ModelEvent =
  | { readonly kind: 'text'; readonly delta: string }
  | { readonly kind: 'tool_call'; readonly call: ToolCall }
  | { readonly kind: 'usage'; readonly input_tokens: number; readonly output_tokens: number };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** None: the model must answer in words. */
  readonly tools: readonly ModelTool[];
  readonly max_output_tokens: number;
  /** Aborting closes the connection to the provider. */
  readonly signal: AbortSignal;
}

/** Why the provider gave no answer, in words that users may see; never with the key. */
export class ModelFailed extends Error {
  override name = 'ModelFailed';
  /** The provider has refused the request, and so has done nothing for it. */
  readonly is_refusal: boolean;

  constructor(reason: string, { is_refusal = false } = {}) {
    super(reason);
    this.is_refusal = is_refusal;
  }
}

/** Language models behind HTTP. Every method throws `ModelFailed`, or the signal's reason. */
export interface LanguageModels {
  /** One answer of the model: text and calls of tools, in order; pull-driven, bounded in size and silence. */
  stream(address: ModelAddress, request: ModelRequest): AsyncIterable<ModelEvent>;
  /** The names of the provider's models. */
  models(address: ModelAddress, signal: AbortSignal): Promise<string[]>;
  /** Why the URL may not be used; undefined when it may be tried. */
  objection(
    address: Pick<ModelAddress, 'provider' | 'base_url' | 'allow_private_address'>,
  ): string | undefined;
}
