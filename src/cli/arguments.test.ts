import { describe, expect, test } from 'vitest';
import { type GivenArguments, parseArguments } from './arguments.ts';
import { UsageError } from './usageError.ts';

function parse(...argv: string[]): GivenArguments {
  const command = parseArguments(argv);
  if (command.kind !== 'open') throw new Error(`not an open command: ${command.kind}`);
  return command.given;
}

function refusalOf(...argv: string[]): string {
  try {
    parseArguments(argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

const NOTHING = {
  paths: [],
  filters: [],
  overlays: [],
  allowHosts: [],
  embedders: [],
  dicomwebOrigins: [],
  indexes: [],
  reviews: [],
  assistants: [],
};

test('no argument gives nothing, and nothing is filled in', () => {
  expect(parse()).toEqual(NOTHING);
});

test('every option is read into the field of its name', () => {
  const words = [
    '--filter modality=CT --filter PatientID=1 --no-recursive --annotations rois.csv',
    '--port 8042 --host ::1 --tunnel me@gateway --tunnel-port 9000 --timeout 2.5 --memory 2G --cache-budget 256MiB',
    '--overlay labels.nii --overlay=masks --index i.parquet --where Rows>1 --dicomweb --dicomweb-origin HTTPS://Viewer.example:443/',
    '--review v.jsonl --review w.jsonl --reader anna --units study --scheme s.json --blind seed --second',
    '--assist http://[::1]:8500/x --base-path /node/c12/8042/ --cache-dir cache --cache-size 1G',
    '--token --allow-host viewer.example --embed self --no-browser --startup-json --stop-with-stdin --log-level debug a b',
  ];
  expect(parse(...words.join(' ').split(' '))).toEqual({
    paths: ['a', 'b'],
    filters: ['modality=CT', 'PatientID=1'],
    overlays: ['labels.nii', 'masks'],
    allowHosts: ['viewer.example'],
    embedders: ["'self'"],
    dicomweb: true,
    dicomwebOrigins: ['https://viewer.example'],
    indexes: ['i.parquet'],
    reviews: ['v.jsonl', 'w.jsonl'],
    assistants: ['http://[::1]:8500/x/'],
    reader: 'anna',
    units: 'study',
    scheme: 's.json',
    blind: 'seed',
    second: true,
    where: 'Rows>1',
    recursive: false,
    annotations: 'rois.csv',
    basePath: '/node/c12/8042',
    port: 8042,
    host: '::1',
    tunnel: 'me@gateway',
    tunnelPort: 9000,
    timeoutSeconds: 2.5,
    memoryBytes: 2 * 1024 ** 3,
    cacheBytes: 256 * 1024 ** 2,
    cacheFolder: 'cache',
    cacheFolderBytes: 1024 ** 3,
    token: true,
    browser: false,
    startupJson: true,
    stopWithStdin: true,
    logLevel: 'debug',
  });
});

test.each([['-p', '8042'], ['-p8042'], ['-p=8042'], ['--port', '8042'], ['--port=8042']])(
  '%s %s is a port',
  (...argv) => {
    expect(parse(...argv)).toEqual({ ...NOTHING, port: 8042 });
  },
);

test('the last of two ports counts, so that an alias can be overridden', () => {
  expect(parse('-p', '1', '-p', '2').port).toBe(2);
});

test('after -- everything is a path', () => {
  expect(parse('a', '--', '--port', '-x')).toEqual({ ...NOTHING, paths: ['a', '--port', '-x'] });
});

test('a value may hold an equals sign and begin with a dash', () => {
  expect(parse('--filter=PatientName=A=B').filters).toEqual(['PatientName=A=B']);
  expect(parse('--annotations', '-rois.csv').annotations).toBe('-rois.csv');
});

test('the pair that an editor puts in front is ignored, there and only there', () => {
  expect(parse('--vscode-bridge-client', 'code', '-p', '1')).toEqual({ ...NOTHING, port: 1 });
  expect(parse('--vscode-bridge-client', '--port', 'x')).toEqual({ ...NOTHING, paths: ['x'] });
  expect(refusalOf('x', '--vscode-bridge-client', 'code')).toContain('unknown option --vscode-bridge-client');
});

test.each(['--help', '-h'])('%s is answered wherever it stands', (flag) => {
  expect(parseArguments(['x', flag])).toEqual({ kind: 'help' });
});

test.each(['--version', '-V'])('%s is answered', (flag) => {
  expect(parseArguments([flag])).toEqual({ kind: 'version' });
});

test('the option that only a debug-api build has is unknown to a normal one', () => {
  expect(refusalOf('--debug-api-beyond-loopback')).toBe('unknown option --debug-api-beyond-loopback');
});

describe('an invalid argument is refused with the flag, the value and the allowed values', () => {
  test.each([
    [['--prot', '1'], 'unknown option --prot; did you mean --port?'],
    [['--tunnelport=1'], 'unknown option --tunnelport; did you mean --tunnel-port?'],
    [['-x'], 'unknown option -x'],
    [['--zzzzzzzz'], 'unknown option --zzzzzzzz'],
    [['--port'], '--port requires a value: --port N'],
    [['--port', '--demo'], '--port requires a value before --demo: --port N'],
    [['--port', '65536'], '--port 65536: a port is a whole number from 0 to 65535'],
    [['--port', '-1'], '--port -1: a port is a whole number from 0 to 65535'],
    [['--port', '80a'], '--port 80a: a port is a whole number from 0 to 65535'],
    [['--port', '0x50'], '--port 0x50: a port is a whole number from 0 to 65535'],
    [['--port='], "--port '': the value is empty"],
    [['--tunnel-port', '0'], '--tunnel-port 0: a port is a whole number from 1 to 65535'],
    [['--timeout', '0'], '--timeout 0: a number of seconds above 0, at most 2000000'],
    [['--timeout', '-5'], '--timeout -5: a number of seconds above 0, at most 2000000'],
    [['--timeout', 'soon'], '--timeout soon: a number of seconds above 0, at most 2000000'],
    [['--timeout', '1e9'], '--timeout 1e9: a number of seconds above 0, at most 2000000'],
    [['--memory', '2'], '--memory 2: a size of at least 64M, written like 512M or 2G'],
    [['--memory', '63M'], '--memory 63M: a size of at least 64M, written like 512M or 2G'],
    [['--memory', '2X'], '--memory 2X: a size of at least 64M, written like 512M or 2G'],
    [['--cache-size', '15M'], '--cache-size 15M: a size of at least 16M, written like 512M or 2G'],
    [['--cache-budget', '15M'], '--cache-budget 15M: a size of at least 16M, written like 512M or 2G'],
    [['--log-level', 'loud'], '--log-level loud: one of silent, error, warn, info, debug'],
    [['--host', 'a b'], '--host a b: a host name or an address, without a port'],
    [['--allow-host', 'example.org:80'], '--allow-host example.org:80: a host name or an address, without a port'],
    [
      ['--embed', 'https://hub.example; script-src *'],
      '--embed https://hub.example; script-src *: self, an origin such as https://hub.example:8000, vscode-webview: or vscode-file:',
    ],
    [['--tunnel', '-oProxyCommand=x'], '--tunnel -oProxyCommand=x: an ssh destination: HOST or USER@HOST'],
    [['--demo=yes'], '--demo yes: this option does not take a value'],
    [['--token', '--no-token'], '--token and --no-token cannot be used together'],
    [[''], "PATH '': the path is empty; use . for the current folder"],
    [['-'], 'PATH -: reading from standard input is not supported; use ./- for a file named -'],
    [['--port', '\u001b[2J'], String.raw`--port \u{1b}[2J: a port is a whole number from 0 to 65535`],
  ])('%j', (argv, message) => {
    expect(refusalOf(...argv)).toBe(message);
  });
});

// Powers of 1024: 64 MiB = 67108864, 1.5 GiB = 1610612736.
test.each([
  ['64M', 67_108_864],
  ['65536k', 67_108_864],
  ['67108864', 67_108_864],
  ['1.5G', 1_610_612_736],
  ['1.5GiB', 1_610_612_736],
  ['1T', 1_099_511_627_776],
])('--memory %s is %i bytes', (text, bytes) => {
  expect(parse('--memory', text).memoryBytes).toBe(bytes);
});
