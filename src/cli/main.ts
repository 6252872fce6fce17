#!/usr/bin/env node
import { parseArguments } from './arguments.ts';
import { openFiles } from './openFiles.ts';
import { printableLine } from './printable.ts';
import { TOKEN_VARIABLES, toSettings } from './settings.ts';
import { createTerminal } from './terminal.ts';
import { UsageError } from './usageError.ts';

// Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
try {
  const command = parseArguments(process.argv.slice(2));
  if (command.kind === 'open') {
    const settings = toSettings(command.given, process.env);
    // Child processes do not need the tokens.
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    const terminal = createTerminal(process, settings.logLevel);
    // Open resources (sockets, threads) must not keep a finished command alive.
    process.exit(await openFiles(settings, { environment: process.env, terminal }));
  }
  if (command.kind === 'export') {
    const { EXPORT_HELP, parseExportArguments } = await import('./export/exportArguments.ts');
    const given = parseExportArguments(command.words);
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    if (given === undefined) process.stdout.write(`${EXPORT_HELP}\n`);
    else {
      const { runExport } = await import('./export/runExport.ts');
      const terminal = createTerminal(process, given.settings.logLevel);
      process.exit(await runExport(given, { environment: process.env, terminal }));
    }
  } else if (command.kind === 'sheet') {
    const { SHEET_HELP, parseSheetArguments } = await import('./sheet/sheetArguments.ts');
    const given = parseSheetArguments(command.words);
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    if (given === undefined) process.stdout.write(`${SHEET_HELP}\n`);
    else {
      const { runSheet } = await import('./sheet/runSheet.ts');
      const terminal = createTerminal(process, given.settings.logLevel);
      process.exit(await runSheet(given, { environment: process.env, terminal }));
    }
  } else if (command.kind === 'audit') {
    const { AUDIT_HELP, parseAuditArguments } = await import('./audit/auditArguments.ts');
    const given = parseAuditArguments(command.words);
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    if (given === undefined) process.stdout.write(`${AUDIT_HELP}\n`);
    else {
      const { runAudit } = await import('./audit/runAudit.ts');
      const terminal = createTerminal(process, given.settings.logLevel);
      process.exit(await runAudit(given, { environment: process.env, terminal }));
    }
  } else if (command.kind === 'deidentify') {
    const { DEIDENTIFY_HELP, parseDeidentifyArguments } = await import('./deidentify/deidentifyArguments.ts');
    const given = parseDeidentifyArguments(command.words);
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    if (given === undefined) process.stdout.write(`${DEIDENTIFY_HELP}\n`);
    else {
      const { runDeidentify } = await import('./deidentify/runDeidentify.ts');
      const terminal = createTerminal(process, given.settings.logLevel);
      process.exit(await runDeidentify(given, { environment: process.env, terminal }));
    }
  } else if (command.kind === 'compare') {
    const { COMPARE_HELP, parseCompareArguments } = await import('./compare/compareArguments.ts');
    const given = parseCompareArguments(command.words);
    for (const name of TOKEN_VARIABLES) delete process.env[name];
    if (given === undefined) process.stdout.write(`${COMPARE_HELP}\n`);
    else {
      const { runCompare } = await import('./compare/runCompare.ts');
      const terminal = createTerminal(process, given.settings.logLevel);
      process.exit(await runCompare(given, { environment: process.env, terminal }));
    }
  } else if (command.kind === 'agree') {
    const { AGREE_HELP, parseAgreeArguments } = await import('./agree/agreeArguments.ts');
    const given = parseAgreeArguments(command.words);
    if (given === undefined) process.stdout.write(`${AGREE_HELP}\n`);
    else {
      const { runAgree } = await import('./agree/runAgree.ts');
      const output = process.stdout.on('error', () => undefined);
      const write = (text: string) => void output.write(text);
      process.exitCode = await runAgree(given, { terminal: createTerminal(process, 'info'), write });
    }
  } else if (command.kind === 'index') {
    const { INDEX_HELP, parseIndexArguments } = await import('./indexArguments.ts');
    const given = parseIndexArguments(command.words);
    if (given === undefined) process.stdout.write(`${INDEX_HELP}\n`);
    else {
      const { writeIndex } = await import('./writeIndex.ts');
      process.exitCode = await writeIndex(given, createTerminal(process, 'info'));
    }
  } else {
    const { answer } = await import('./answers.ts');
    process.stdout.on('error', () => undefined).write(`${answer(command.kind)}\n`);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`negato: ${printableLine(error.message)}\nTry: negato --help\n`);
  process.exitCode = 2;
}
