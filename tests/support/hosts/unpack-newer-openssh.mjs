import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** OpenSSH from the backports of Debian 12, whose own version knows no post-quantum key exchange of ours. */
export const NEWER_OPENSSH = '/var/cache/sallyport-tests/openssh';

// Unpacked and not installed: the system's OpenSSH stays, which other tests need.
const SCRIPT = `
set -e
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" | head -n 1)
mkdir -p $(dirname ${NEWER_OPENSSH})
base=$(mktemp -d -p $(dirname ${NEWER_OPENSSH}))
trap 'rm -rf "$base"' EXIT
chmod 755 "$base"
cd "$base"
mkdir -p lists/partial parts cache/archives/partial unpacked
echo "deb $mirror $VERSION_CODENAME-backports main" > sources.list
apt="apt-get -qq -o Dir::Etc::sourcelist=$base/sources.list -o Dir::Etc::sourceparts=$base/parts -o Dir::State::lists=$base/lists -o Dir::Cache=$base/cache -o APT::Sandbox::User=root -o Acquire::http::Timeout=20"
$apt update
$apt download openssh-server/$VERSION_CODENAME-backports openssh-client/$VERSION_CODENAME-backports
for package in *.deb; do dpkg-deb -x "$package" unpacked; done
mv -T unpacked ${NEWER_OPENSSH}`;

/** Tests that need it are skipped where it cannot be had. */
export async function unpackNewerOpenssh() {
  if (existsSync(NEWER_OPENSSH) || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const child = spawn('sh', ['-c', SCRIPT], { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
}
