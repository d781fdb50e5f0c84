import { useApp } from '../../app/context.ts';
import { CodeSample } from '../../parts/code-sample.tsx';

const EXAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the bytes as they came, before anything has read them as JSON
function isGenuine(body, headers, secret) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from('sha256=' + digest);
  const given = Buffer.from(headers['x-service-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`;

/** How to verify a delivery, for authors of receivers. */
export function WebhookVerifyHelp() {
  const { t } = useApp();
  return (
    <details class="webhook-help">
      <summary>{t('webhook_verify')}</summary>
      <ul class="webhook-help-list">
        <li>{t('webhook_verify_signature')}</li>
        <li>{t('webhook_verify_delivery')}</li>
        <li>{t('webhook_verify_answer')}</li>
        <li>{t('webhook_verify_rotation')}</li>
      </ul>
      <CodeSample code={EXAMPLE} copy_label={t('webhook_verify_copy')} />
    </details>
  );
}
