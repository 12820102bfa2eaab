/** What runs under systemd: Node and Teller's command, by their real paths. */
export interface Program {
  readonly node: string;
  readonly script: string;
}

export const UNIT = 'teller.service';
export const UNIT_FILE = `/etc/systemd/system/${UNIT}`;
/** `StateDirectory=teller`: the config and the data. */
export const STATE_FOLDER = '/var/lib/teller';

/** A unit with this first line was written by Teller, so Teller may replace and remove it. */
export const UNIT_MARK = '# Written by `teller service install`. Change it with: systemctl edit teller';

/** A user's name that `useradd` accepts on every distribution. */
export const USER_NAME = /^[a-z_][a-z0-9_-]{0,30}$/;

/** The unit of a service that runs Teller as this user. */
export const unitText = ({ node, script }: Program, user: string): string => `${UNIT_MARK}
[Unit]
Description=Teller, a Minecraft vote listener
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
Type=notify
# Node cannot write to the notification socket itself, so Teller starts systemd-notify.
NotifyAccess=all
# After a crash, opening a large ledger may take long. When Teller cannot start, it exits by itself.
TimeoutStartSec=infinity
ExecStart=${quoted(node)} ${quoted(script)} run
ExecReload=/bin/kill -HUP $MAINPID
User=${user}
Group=${user}
StateDirectory=teller
StateDirectoryMode=0700
WorkingDirectory=%S/teller
UMask=0077
LimitNOFILE=65536

# 2: the config is wrong, so another start would end in the same way.
Restart=always
RestartSec=5
RestartPreventExitStatus=2

${HARDENING}

[Install]
WantedBy=multi-user.target
`;

/**
 * Not here: MemoryDenyWriteExecute, because Node compiles JavaScript to machine code at run time; ProtectProc, because
 * `run` names the program that has its port. Netlink lists the machine's addresses.
 */
const HARDENING = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
PrivateTmp=yes
RemoveIPC=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM`;

/** One word of a command line in a unit: systemd expands %, $ and backslashes even inside quotes. */
const quoted = (path: string): string =>
  `"${path.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
