@echo off
rem Starts the server of the folder this script is in, like EmuLinker-K's script of the same name.
setlocal
set "HERE=%~dp0"
cd /d "%HERE%"
set "FOREGROUND="

:options
if "%~1"=="" goto program
if /i "%~1"=="--foreground" (
  set "FOREGROUND=1"
  shift
  goto options
)
if /i "%~1"=="--jar" (
  echo --jar "%~2" is not needed: there is no Java here
  shift
  shift
  goto options
)
echo Usage: start-server.bat [--foreground] [--jar FILE]
exit /b 2

:program
if not defined SAMARA if exist samara.exe set "SAMARA=%HERE%samara.exe"
if not defined SAMARA set "SAMARA=samara.exe"
where "%SAMARA%" >nul 2>nul || if not exist "%SAMARA%" (
  echo No "%SAMARA%": put the program beside this script or on the PATH, or set SAMARA to where it is
  exit /b 1
)
set "WHAT="
if exist samara.toml set "WHAT=--config samara.toml"
if exist conf\emulinker.cfg set "WHAT=--emulinker conf"

if defined FOREGROUND (
  "%SAMARA%" serve %WHAT%
  exit /b
)

rem Windows tells a process's number only to whoever starts it this way.
powershell -NoProfile -Command ^
  "$old = if (Test-Path samara.pid) { Get-Process -Id (Get-Content samara.pid) -ErrorAction SilentlyContinue };" ^
  "if ($old -and $old.ProcessName -like 'samara*') { Write-Host 'already running, as process' $old.Id; exit 1 };" ^
  "$p = Start-Process -FilePath $env:SAMARA -ArgumentList ('serve --log-file samara.log --quiet ' + $env:WHAT) -WindowStyle Hidden -RedirectStandardError samara.err -PassThru;" ^
  "Set-Content samara.pid $p.Id; Start-Sleep 3;" ^
  "if ($p.HasExited) { Remove-Item samara.pid; Write-Host 'it has not started:' } else { Write-Host 'running as process' $p.Id '; samara.log says:' };" ^
  "Get-Content samara.log -Tail 20 -ErrorAction SilentlyContinue; Get-Content samara.err; exit [int]$p.HasExited"
exit /b %ERRORLEVEL%
