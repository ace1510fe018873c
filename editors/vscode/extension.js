// Starts `tpu-admission lsp` and hands it YAML and JSON files; everything else is the server's.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

exports.activate = async function () {
  const settings = vscode.workspace.getConfiguration('tpu-admission');
  const server = {
    command: settings.get('path'),
    args: ['lsp', ...settings.get('arguments')],
    transport: TransportKind.stdio,
  };
  const documentSelector = ['yaml', 'json', 'helm'].map((language) => ({ language }));
  client = new LanguageClient('tpu-admission', 'tpu-admission', server, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `tpu-admission could not be started as "${server.command}": ${error.message}. ` +
      'Install it, or set tpu-admission.path.');
  }
};

exports.deactivate = () => client?.stop();
