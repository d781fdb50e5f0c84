import { useApp } from '../app/context.ts';
import { dayOf } from '../lib/expiry.ts';
import { saveFile } from '../lib/save-file.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { exportServers } from './import/import.ts';

/** Explains what the export contains before downloading it. */
export function ExportServers(props: { onClose: () => void }) {
  const { client, t } = useApp();
  const save = async () =>
    saveFile(`sallyport-servers-${dayOf(new Date())}.json`, await exportServers(client));
  return (
    <Confirm
      title={t('export_servers')}
      text={t('export_servers_text')}
      action={t('download_json')}
      failure={t('servers_not_exported')}
      onConfirm={save}
      onClose={props.onClose}
    />
  );
}
