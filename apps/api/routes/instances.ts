import type { Hono } from 'hono';
import type { TypedAnswers } from '#core/hosts/shared-credentials.ts';
import type { AppEnv } from '../http/env.ts';

/** Outside `/api`: only instances with the same secret call it, and no proxy has to pass it on. */
export const QUESTION_PATH = '/internal/typed-credentials';
export const QUESTION_HEADER = 'x-sallyport-question';

/** Answers the same to an unknown caller as to an instance that asks for something unknown. */
export function mountInstanceQuestions(hono: Hono<AppEnv>, typed_answers: TypedAnswers): void {
  hono.post(QUESTION_PATH, async (c) => {
    const answer = await typed_answers.answer(c.req.header(QUESTION_HEADER) ?? '');
    c.header('Cache-Control', 'no-store');
    return answer === undefined ? c.body(null, 204) : c.text(answer, 200);
  });
}
