import { ModelFailed } from '#core/ports/agent.ts';
import { ExchangeFailed } from '#core/ports/outside.ts';

const MAX_LENGTH = 300;
const SHARED_LENGTH = 8; // a word that shares this much with the key is a part of it

/** Shapes of keys, whole or masked: `sk-proj-1234`, `Bearer x`, `sk-****abcd`. */
const KEYLIKE = /\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai)[-_][\w*.…-]{4,}|\bAIza[\w*.…-]{4,}|\S*\*{3,}\S*/gi;

const HIDDEN = '[hidden]';

/** What a provider said, for people to read: one short line without the key or anything like it. */
export function plainWords(text: string, key: string): string {
  const line = text
    .slice(0, 4 * MAX_LENGTH)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const clipped = [...withoutKey(line, key)].slice(0, MAX_LENGTH).join('');
  return clipped.replace(/[.\s]+$/, '');
}

function withoutKey(line: string, key: string): string {
  const exact = key === '' ? line : line.replaceAll(key, HIDDEN);
  const bare = exact.replace(/[^\s"'`,;:()<>[\]{}=]+/g, (word) => (isPartOf(word, key) ? HIDDEN : word));
  return bare.replace(KEYLIKE, HIDDEN);
}

function isPartOf(word: string, key: string): boolean {
  const [within, whole] = [word.toLowerCase(), key.toLowerCase()];
  for (let at = 0; at + SHARED_LENGTH <= within.length; at += 1) {
    if (whole.includes(within.slice(at, at + SHARED_LENGTH))) return true;
  }
  return false;
}

/** For a response that is not a success. */
export function statusFailure(status: number, body: string, key: string): ModelFailed {
  const words = plainWords(messageIn(body), key);
  const reason = `${meaningOf(status)} (HTTP ${status})`;
  return new ModelFailed(words === '' ? reason : `${reason}: ${words}`, { is_refusal: true });
}

function meaningOf(status: number): string {
  if (status >= 300 && status < 400) return 'The address redirects to another one, which is not followed';
  if (status === 401 || status === 403) return 'The provider refused the API key';
  if (status === 404) return 'The provider does not know this address or model';
  if (status === 429) return 'The limit of the provider is reached';
  return status >= 500 ? 'The provider failed' : 'The provider refused the request';
}

/** The message that the error bodies of OpenAI, Anthropic, Ollama and FastAPI contain; empty for anything else. */
function messageIn(body: string): string {
  try {
    return messageOf(JSON.parse(body));
  } catch {
    return '';
  }
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { error, message, detail } = value as Readonly<Record<string, unknown>>; // absent ones are undefined
  for (const one of [message, error, detail]) {
    if (typeof one === 'string') return one;
  }
  return Array.isArray(error) || error === undefined ? '' : messageOf(error);
}

/** A connection that failed, or an error of the SDK, whose own texts contain requests and answers. */
export function toModelFailed(error: unknown, key: string): ModelFailed {
  if (error instanceof ModelFailed) return error;
  if (error instanceof ExchangeFailed) return new ModelFailed(error.message);
  if (!(error instanceof Error)) return streamedFailure(error, key);
  if (error.name === 'AI_APICallError') return streamedFailure(error.message, key);
  return new ModelFailed(SDK_REASONS[error.name] ?? 'The answer of the provider cannot be understood');
}

/** Why a provider gave up after its answer had begun. */
function streamedFailure(error: unknown, key: string): ModelFailed {
  const words = plainWords(messageOf(error), key);
  return new ModelFailed(words === '' ? 'The provider failed' : `The provider failed: ${words}`);
}

const INCOMPLETE = 'The answer of the provider ended before it was complete';

const SDK_REASONS: Readonly<Record<string, string>> = {
  AI_JSONParseError: 'The answer of the provider is not valid JSON',
  AI_TypeValidationError: 'The answer of the provider has an unknown form',
  AI_InvalidResponseDataError: INCOMPLETE,
  AI_NoOutputGeneratedError: INCOMPLETE,
  AI_EmptyResponseBodyError: INCOMPLETE,
};

export const incomplete = () => new ModelFailed(INCOMPLETE);
