@echo off
rem Stops the server of the folder this script is in. A program without a window cannot be asked
rem on Windows: it ends at once, and its users see their connection lost.
setlocal
cd /d "%~dp0"
if not exist samara.pid (
  echo not running
  exit /b 0
)
set /p PID=<samara.pid
tasklist /fi "PID eq %PID%" /fi "IMAGENAME eq samara*" 2>nul | find "%PID%" >nul
if errorlevel 1 (
  del samara.pid
  echo not running
  exit /b 0
)
taskkill /f /pid %PID% || exit /b 1
del samara.pid
echo stopped
