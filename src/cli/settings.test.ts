import { describe, expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';
import { type Environment, type Settings, toSettings } from './settings.ts';
import { UsageError } from './usageError.ts';

function settingsOf(commandLine: string, environment: Environment = {}): Settings {
  const command = parseArguments(commandLine.split(' ').filter((word) => word !== ''));
  if (command.kind !== 'open') throw new Error(`not an open command: ${command.kind}`);
  return toSettings(command.given, environment);
}

test('--demo is the same as no arguments', () => {
  expect(settingsOf('--demo')).toEqual(settingsOf(''));
});

test('without arguments the demo study is served on a free loopback port', () => {
  expect(settingsOf('')).toEqual({
    source: { kind: 'demo' },
    recursive: true,
    archives: true,
    watch: undefined,
    overlays: [],
    compared: undefined,
    filters: [],
    remote: {
      anonymous: false,
      profile: undefined,
      endpoint: undefined,
      region: undefined,
      bearerCommand: undefined,
      requests: 64,
      listingMs: undefined,
      maxObjects: 1_000_000,
      cacheFolder: undefined,
      cacheFolderBytes: 10 * 1024 ** 3,
    },
    annotations: undefined,
    labels: undefined,
    assistants: [],
    keptRois: 'offer',
    listen: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    allowHosts: [],
    embedders: [],
    dicomweb: false,
    dicomwebOrigins: [],
    basePath: '',
    tokenMode: 'auto',
    fixedToken: undefined,
    tunnel: undefined,
    timeoutMs: undefined,
    memoryBytes: undefined,
    cacheBytes: undefined,
    debugBeyondLoopback: false,
    openBrowser: true,
    startupJson: false,
    stopWithStdin: false,
    logLevel: 'info',
  });
});

test('an assistant is named by an address; without encryption it must be on this machine, and no message repeats its password', () => {
  const named = settingsOf('--assist http://127.0.0.1:8500 --assist https://anna:secret@gpu.example/lesion');
  expect(named.assistants).toEqual(['http://127.0.0.1:8500/', 'https://anna:secret@gpu.example/lesion/']);
  expect(() => settingsOf('--assist http://anna:secret@gpu.example')).toThrow(
    new UsageError('--assist: use https, or add --insecure-http'),
  );
  expect(settingsOf('--insecure-http --assist http://gpu.example').assistants).toEqual(['http://gpu.example/']);
  for (const wrong of ['gpu.example', 'ftp://anna:secret@gpu.example', 'http://gpu.example/?key=secret']) {
    expect(() => settingsOf(`--insecure-http --assist ${wrong}`)).toThrow(
      new UsageError('--assist: an address such as http://127.0.0.1:8500, without a query'),
    );
  }
});

test('an address on another machine is opened by https, unless the user says otherwise', () => {
  expect(() => settingsOf('http://images.example/a.dcm?key=secret')).toThrow(
    new UsageError('http://images.example/a.dcm: use https, or add --insecure-http'),
  );
  expect(() => settingsOf('dicomweb+http://user:secret@pacs.example/dicom-web/studies/1.2?PatientID=secret')).toThrow(
    new UsageError('dicomweb+http://pacs.example/dicom-web/studies/1.2: use https, or add --insecure-http'),
  );
  expect(() => settingsOf('s3://b@d/x')).toThrow(/BUCKET/);
  const paths = ['http://images.example/a.dcm', 'http://127.0.0.1:9000/a.dcm'];
  expect(settingsOf(`--insecure-http ${paths[0]}`).source).toEqual({ kind: 'paths', paths: [paths[0]] });
  expect(settingsOf(paths[1]!).source).toEqual({ kind: 'paths', paths: [paths[1]] });
});

test('a socket file takes the place of the address', () => {
  expect(settingsOf('--unix-socket run/negato.sock .').listen).toEqual({ kind: 'unix', path: 'run/negato.sock' });
});

test('an allowed IPv6 address is kept as it stands in a Host header', () => {
  expect(settingsOf('--allow-host [2001:DB8::5] --allow-host Viewer.example').allowHosts).toEqual([
    '[2001:db8::5]',
    'viewer.example',
  ]);
});

describe('when a token is required', () => {
  test.each([
    ['', 'auto'],
    ['--token', 'required'],
    ['--no-token', 'off'],
    ['--no-token --host localhost', 'off'],
    ['--no-token --host 127.0.0.9', 'off'],
    // Every user of the port on the other host arrives as the user's own ssh.
    ['--tunnel gateway', 'required'],
    // Requests of other pages arrive as the user's own browser.
    ['--embed self', 'required'],
    ['--dicomweb', 'auto'],
    ['--dicomweb --dicomweb-origin https://viewer.example', 'auto'],
    ['--allow-host *', 'required'],
  ])('%s: %s', (commandLine, tokenMode) => {
    expect(settingsOf(commandLine).tokenMode).toBe(tokenMode);
  });

  test('NEGATO_TOKEN, else DCMVIEW_TOKEN, fixes which one, and an empty one counts as none', () => {
    const token = 'x'.repeat(32);
    expect(settingsOf('', { NEGATO_TOKEN: token }).fixedToken).toBe(token);
    expect(settingsOf('', { NEGATO_TOKEN: '' }).fixedToken).toBeUndefined();
    const other = 'o'.repeat(32);
    expect(settingsOf('', { DCMVIEW_TOKEN: other }).fixedToken).toBe(other);
    expect(settingsOf('', { NEGATO_TOKEN: '', DCMVIEW_TOKEN: other }).fixedToken).toBe(other);
    expect(settingsOf('', { NEGATO_TOKEN: token, DCMVIEW_TOKEN: other }).fixedToken).toBe(token);
    expect(() => settingsOf('', { DCMVIEW_TOKEN: 'short' })).toThrow(
      new UsageError('DCMVIEW_TOKEN: must have at least 32 visible ASCII characters and no spaces'),
    );
  });

  test.each(['x'.repeat(31), `${'x'.repeat(40)} y`, 'ü'.repeat(40)])(
    'a NEGATO_TOKEN of %s is refused and not repeated',
    (token) => {
      expect(() => settingsOf('', { NEGATO_TOKEN: token })).toThrow(
        new UsageError('NEGATO_TOKEN: must have at least 32 visible ASCII characters and no spaces'),
      );
    },
  );
});

test('layers are compared over the images of a PATH', () => {
  expect(settingsOf('ct --truth labels --test predictions.nii.gz').compared).toEqual({
    truth: 'labels',
    test: 'predictions.nii.gz',
  });
});

describe('options that contradict each other are refused', () => {
  test.each([
    ['ct --truth labels', '--truth requires --test PATH, which is compared with it'],
    ['ct --test labels', '--test requires --truth PATH, which it is compared with'],
    ['--truth a --test b', '--truth needs a PATH with the images that both lie over'],
    ['ct --truth a --test a', '--truth and --test are the same path'],
    ['--index i.parquet --truth a --test b', '--truth cannot be used with --index'],
    ['--tunnel-port 9000', '--tunnel-port 9000: requires --tunnel SSH_HOST'],
    ['--unix-socket s --port 80', '--port 80: cannot be used with --unix-socket'],
    ['--unix-socket s --port 0', '--port 0: cannot be used with --unix-socket'],
    ['--unix-socket s --host ::1', '--host ::1: cannot be used with --unix-socket'],
    [
      '--no-token --host 0.0.0.0',
      '--no-token is not allowed with --host 0.0.0.0: other machines can reach that address',
    ],
    ['--no-token --host ::', '--no-token is not allowed with --host ::: other machines can reach that address'],
    [
      '--no-token --host viewer.example',
      '--no-token is not allowed with --host viewer.example: other machines can reach that address',
    ],
    [
      '--no-token --tunnel gw',
      '--no-token is not allowed with --tunnel gw: every user of that host can reach the port',
    ],
    ['--dicomweb-origin https://viewer.example', '--dicomweb-origin requires --dicomweb'],
    ['--index i.parquet a', '--index cannot be used with a PATH'],
    ['--reader anna a', '--reader requires --review FILE'],
    ['--second a', '--second requires --review FILE'],
    ['--review v.jsonl a', '--review requires --reader NAME'],
    ['--review v.jsonl --reader anna --second a', '--reader cannot be used with --second, whose reader is consensus'],
    [
      '--review v.jsonl --reader anna --mask a',
      '--review with --mask requires --mask-key FILE, so that the next run has the same UIDs',
    ],
    ['--index i.parquet s3://bucket/ a', '--index cannot be used with a PATH'],
    [
      '--no-token --embed https://hub.example',
      '--no-token is not allowed with --embed: other web pages can then reach the server',
    ],
    [
      '--no-token --allow-host *',
      "--no-token is not allowed with --allow-host '*': other web pages can then reach the server",
    ],
    ['--demo scans', '--demo cannot be used with a PATH'],
  ])('%s', (commandLine, message) => {
    expect(() => settingsOf(commandLine)).toThrow(new UsageError(message));
  });
});
