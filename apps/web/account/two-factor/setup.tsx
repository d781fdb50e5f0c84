import { encode } from 'uqr';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { Secret } from '../../parts/secret.tsx';
import type { TotpSetup } from '../account.ts';
import { CodeForm } from './code-form.tsx';
import './two-factor.css';

const QUIET = 4; // modules of white that ISO 18004 asks for around the code

interface Props {
  readonly setup: TotpSetup;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Two-factor authentication is enabled only once a first code has been verified. */
export function TwoFactorSetup(props: Props) {
  const { client, t } = useApp();
  async function confirm(code: string): Promise<void> {
    const proven = await take(client.http.POST('/api/auth/totp/verify', { body: { code } }));
    if ('recovery_codes' in proven) props.onCodes(proven.recovery_codes);
  }
  return (
    <div class="setup">
      <p class="section-lead">{t('setup_scan')}</p>
      <QrCode text={props.setup.qr_uri} label={t('setup_qr')} />
      <Secret label={t('setup_secret')} value={props.setup.secret} copy_label={t('copy_secret')} />
      <CodeForm
        description={t('setup_code_hint')}
        action={t('confirm_code')}
        failure={t('two_factor_not_set_up')}
        onCode={confirm}
        onCancel={props.onCancel}
      />
    </div>
  );
}

/** Black on white in both themes: not every camera reads the reverse. */
function QrCode(props: { text: string; label: string }) {
  const code = () => encode(props.text, { border: QUIET });
  return (
    <svg class="qr-code" viewBox={`0 0 ${code().size} ${code().size}`} role="img" aria-label={props.label}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={pathOf(code().data)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

function pathOf(rows: readonly (readonly boolean[])[]): string {
  const squares = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return squares.join('');
}
