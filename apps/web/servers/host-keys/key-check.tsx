import { useApp } from '../../app/context.ts';

/** How a person finds out whether a changed host key is the host's own. */
export function KeyCheck() {
  const { t } = useApp();
  return (
    <>
      <p>{t('accept_new_key_danger')}</p>
      <div class="key-check">
        <p>{t('accept_new_key_check')}</p>
        <code class="command">ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>
      </div>
    </>
  );
}
